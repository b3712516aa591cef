// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/journal.hpp"

#include <sqlite3.h>

#include <map>
#include <utility>
#include <vector>

#include "support/checksum.hpp"
#include "support/error.hpp"

namespace collcast::sweep {
namespace {

constexpr const char* form = "collcast sweep 3";

std::string where(const std::filesystem::path& path) {
  return "'" + path.string() + "'";
}

[[noreturn]] void fail(sqlite3* file, const std::filesystem::path& path, int code) {
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    throw InputError(where(path) + " is in use by another sweep; wait for it, or choose another folder");
  // The statements are fixed: an error means that the file is damaged.
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR)
    throw InputError(where(path) + " is not the journal of a sweep, or is damaged");
  throw SubstrateError("journal " + where(path) + ": " +
                       (file ? sqlite3_errmsg(file) : sqlite3_errstr(code)) + "; finished points are kept");
}

/// One statement, bound and stepped.
class Statement {
 public:
  Statement(sqlite3* file, const std::filesystem::path& path, const char* sql) : file_(file), path_(path) {
    check(sqlite3_prepare_v2(file, sql, -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, place, value));
    return *this;
  }
  Statement& bind(int place, const std::string& text) {
    check(sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
    return *this;
  }
  /// Whether there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(file_, path_, code);
    return code == SQLITE_ROW;
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return {bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) fail(file_, path_, code);
  }
  sqlite3* file_;
  const std::filesystem::path& path_;
  sqlite3_stmt* statement_ = nullptr;
};

void run(sqlite3* file, const std::filesystem::path& path, const char* sql) {
  Statement(file, path, sql).step();
}

/// An open SQLite file that is closed where this is left.
struct Opened {
  sqlite3* file = nullptr;
  Opened(const std::filesystem::path& path, int flags) {
    const int code = sqlite3_open_v2(path.c_str(), &file, flags, nullptr);
    if (code != SQLITE_OK) {
      sqlite3_close(file);
      throw SubstrateError("journal " + where(path) + " cannot be opened: " + sqlite3_errstr(code));
    }
  }
  ~Opened() { sqlite3_close(file); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

std::filesystem::path journal_in(const std::filesystem::path& folder) {
  return folder / "journal.sqlite";
}

std::string sum_of(const Identity& identity) {
  return std::to_string(checksum(identity.program, checksum(identity.platforms, checksum(identity.sweep))));
}

std::string sum_of(std::int64_t number, const Outcome& outcome) {
  const std::string head =
      std::to_string(number) + ' ' + std::to_string(static_cast<int>(outcome.kind)) + ' ';
  return std::to_string(checksum(outcome.text, checksum(head)));
}

Identity identity_of(sqlite3* file, const std::filesystem::path& path) {
  std::map<std::string, std::string> said;
  Statement all(file, path, "SELECT key, value FROM sweep");
  while (all.step()) said[all.text(0)] = all.text(1);
  if (said["form"] != form)
    throw InputError(where(path) + " is not the journal of a sweep of this program, or is damaged");
  const Identity identity{said["sweep"], said["platforms"], said["program"]};
  if (said["sum"] != sum_of(identity)) throw InputError(where(path) + " is damaged: what its sweep is");
  return identity;
}

void require_same(const Identity& a, const Identity& b, const std::filesystem::path& path) {
  const char* differs = a.sweep != b.sweep           ? "another sweep"
                        : a.platforms != b.platforms ? "this sweep on platforms that have changed since"
                        : a.program != b.program     ? "this sweep by another version of the program"
                                                     : nullptr;
  if (differs) throw InputError(where(path) + " is the journal of " + differs + "; choose another folder");
}

bool has_tables(sqlite3* file, const std::filesystem::path& path) {
  Statement tables(file, path, "SELECT count(*) FROM sqlite_master WHERE name IN ('sweep', 'points')");
  tables.step();
  return tables.number(0) == 2;
}

/// Visits the records whose checksum is right. Returns the numbers of the others.
std::vector<std::int64_t> visit_all(sqlite3* file, const std::filesystem::path& path,
                                    const std::function<void(std::int64_t, const Outcome&)>& visit) {
  std::vector<std::int64_t> damaged;
  Statement all(file, path, "SELECT number, kind, text, sum FROM points ORDER BY number");
  while (all.step()) {
    const Outcome outcome{static_cast<Outcome::Kind>(all.number(1)), all.text(2)};
    if (all.text(3) == sum_of(all.number(0), outcome))
      visit(all.number(0), outcome);
    else
      damaged.push_back(all.number(0));
  }
  return damaged;
}

void begin(sqlite3* file, const std::filesystem::path& path, const Identity& identity) {
  run(file, path, "CREATE TABLE sweep (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
  run(file, path,
      "CREATE TABLE points (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, text TEXT NOT NULL, sum TEXT "
      "NOT NULL)");
  for (const auto& [key, value] : {std::pair<std::string, std::string>{"form", form},
                                   {"sweep", identity.sweep},
                                   {"platforms", identity.platforms},
                                   {"program", identity.program},
                                   {"sum", sum_of(identity)}})
    Statement(file, path, "INSERT INTO sweep VALUES (?, ?)").bind(1, key).bind(2, value).step();
}

}  // namespace

Journal::Journal(const std::filesystem::path& folder, const Identity& identity)
    : path_(journal_in(folder)), identity_(identity) {
  std::error_code error;
  made_folder_ = std::filesystem::create_directories(folder, error);
  if (error) throw InputError("folder " + where(folder) + " cannot be made: " + error.message());
  Opened opened(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // Exclusive access, so that the log needs no shared memory; a write-ahead log, so that a kill loses
  // nothing.
  for (const char* pragma :
       {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"})
    run(opened.file, path_, pragma);
  run(opened.file, path_, "BEGIN IMMEDIATE");
  begun_ = !has_tables(opened.file, path_);
  if (begun_) begin(opened.file, path_, identity);
  require_same(identity_of(opened.file, path_), identity, path_);
  const auto damaged = visit_all(opened.file, path_, [](std::int64_t, const Outcome&) {});
  for (const std::int64_t number : damaged)
    Statement(opened.file, path_, "DELETE FROM points WHERE number = ?").bind(1, number).step();
  damaged_ = static_cast<std::int64_t>(damaged.size());
  run(opened.file, path_, "COMMIT");
  std::swap(file_, opened.file);
}

Journal::~Journal() {
  sqlite3_close(file_);
}

Identity Journal::identity(const std::filesystem::path& folder) {
  const std::filesystem::path path = journal_in(folder);
  if (!std::filesystem::exists(path)) throw InputError("there is no journal of a sweep in " + where(folder));
  const Opened opened(path, SQLITE_OPEN_READWRITE);
  if (!has_tables(opened.file, path)) throw InputError(where(path) + " is not the journal of a sweep");
  return identity_of(opened.file, path);
}

std::string Journal::part(const std::filesystem::path& folder) {
  identity(folder);  // throws if there is none
  const std::filesystem::path path = journal_in(folder);
  const Opened opened(path, SQLITE_OPEN_READWRITE);
  Statement part(opened.file, path, "SELECT value FROM sweep WHERE key = 'part'");
  return part.step() ? part.text(0) : "";
}

void Journal::keep_part(const std::string& part) {
  Statement(file_, path_, "INSERT OR REPLACE INTO sweep VALUES ('part', ?)").bind(1, part).step();
}

void Journal::add(std::int64_t number, const Outcome& outcome) {
  Statement(file_, path_, "INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?)")
      .bind(1, number)
      .bind(2, static_cast<std::int64_t>(outcome.kind))
      .bind(3, outcome.text)
      .bind(4, sum_of(number, outcome))
      .step();
}

void Journal::discard() {
  sqlite3_close(std::exchange(file_, nullptr));
  std::error_code none;  // what cannot be removed stays
  if (begun_) std::filesystem::remove(path_, none);
  if (made_folder_) std::filesystem::remove(path_.parent_path(), none);
}

void Journal::merge(const std::filesystem::path& folder) {
  require_same(identity(folder), identity_, journal_in(folder));
  std::map<std::int64_t, Outcome> mine;
  each([&](std::int64_t number, const Outcome& o) { mine.emplace(number, o); });
  const std::filesystem::path path = journal_in(folder);
  const Opened other(path, SQLITE_OPEN_READWRITE);
  run(file_, path_, "BEGIN IMMEDIATE");
  const auto damaged = visit_all(other.file, path, [&](std::int64_t number, const Outcome& o) {
    const auto known = mine.find(number);
    const bool lost = o.kind == Outcome::Kind::lost;
    if (known == mine.end() || (known->second.kind == Outcome::Kind::lost && !lost)) return add(number, o);
    if (lost || known->second == o) return;
    throw InputError(where(path) + " contradicts another journal at point " + std::to_string(number));
  });
  damaged_ += static_cast<std::int64_t>(damaged.size());
  run(file_, path_, "COMMIT");
}

void Journal::each(const std::function<void(std::int64_t, const Outcome&)>& visit) const {
  visit_all(file_, path_, visit);
}

}  // namespace collcast::sweep
