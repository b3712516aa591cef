// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/playing/plan.hpp"

namespace collcast::workloads {

/// A choice of a plan for a training job, besides platform and ranks.
struct PlanChoice {
  const char *key, *title;
  bool counts;
  std::string TrainingText::*text;
  std::string plan::Candidate::*chosen;
};
inline constexpr PlanChoice plan_choices[] = {
    {"framework", "framework", false, &TrainingText::framework, &plan::Candidate::framework},
    {"batch", "batch", true, &TrainingText::batch, &plan::Candidate::batch},
    {"global_batch", "global batch", true, &TrainingText::global_batch, &plan::Candidate::global_batch},
    {"precision", "precision", false, &TrainingText::precision, &plan::Candidate::precision},
    {"policy", "policy", false, &TrainingText::policy, &plan::Candidate::policy}};

}  // namespace collcast::workloads
