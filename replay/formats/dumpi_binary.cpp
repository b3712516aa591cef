// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "replay/formats/bytes.hpp"
#include "replay/formats/dumpi_calls.hpp"
#include "replay/formats/input.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr std::string_view dumpi_magic =
    "\xff\xaa\xdd"
    "DUMPI";

/// A function with its arguments in the order in which they are written: a letter for the form, and a name
/// where it is read.
///   i, l: an integer of 4, 8 bytes    d, c, h: a type, a communicator, another handle: 2 bytes    b: a byte
///   r: a request, 4 bytes             s: statuses, where the call has them       t: a text, length before it
///   I, R, D, H, B, T: an array of i, r, d, h, b, t, number before it; J, U: of I, of T
///   ?: what follows is written by the root alone, of which `commrank` and `root` tell
struct Function {
  std::string_view name, arguments;
};

constexpr std::string_view sends = "icount ddatatype idest itag ccomm",
                           begins = "icount ddatatype idest itag ccomm rrequest",
                           reduces = "icount ddatatype b ccomm",
                           gathers = "isendcount dsendtype irecvcount drecvtype ccomm",
                           accesses = "i d i i i d h", reads = "h i d s", reads_at = "h l i d s",
                           starts = "h i d r", starts_at = "h l i d r", begins_io = "h i d", ends_io = "h s";

/// The functions in the order of their numbers (DUMPI 1.3: common/funclabels.h, data/mpifuncs.h,
/// common/dumpiio.c).
constexpr std::array<Function, 290> functions = {{
    {"Send", sends},
    {"Recv", "icount ddatatype isource itag ccomm s"},
    {"Get_count", "s d i"},
    {"Bsend", sends},
    {"Ssend", sends},
    {"Rsend", sends},
    {"Buffer_attach", "i"},
    {"Buffer_detach", "i"},
    {"Isend", begins},
    {"Ibsend", begins},
    {"Issend", begins},
    {"Irsend", begins},
    {"Irecv", "icount ddatatype isource itag ccomm rrequest"},
    {"Wait", "rrequest s"},
    {"Test", "rrequest iflag s"},
    {"Request_free", "r"},
    {"Waitany", "icount Rrequests iindex s"},
    {"Testany", "icount Rrequests iindex iflag s"},
    {"Waitall", "icount Rrequests s"},
    {"Testall", "icount Rrequests iflag s"},
    {"Waitsome", "icount Rrequests ioutcount Iindices s"},
    {"Testsome", "icount Rrequests ioutcount Iindices s"},
    {"Iprobe", "i i c i s"},
    {"Probe", "i i c s"},
    {"Cancel", "r"},
    {"Test_cancelled", "s i"},
    {"Send_init", begins},
    {"Bsend_init", begins},
    {"Ssend_init", begins},
    {"Rsend_init", begins},
    {"Recv_init", "icount ddatatype isource itag ccomm rrequest"},
    {"Start", "rrequest"},
    {"Startall", "icount Rrequests"},
    {"Sendrecv", "isendcount dsendtype idest isendtag irecvcount drecvtype isource irecvtag ccomm s"},
    {"Sendrecv_replace", "icount ddatatype idest isendtag isource irecvtag ccomm s"},
    {"Type_contiguous", "i d d"},
    {"Type_vector", "i i i d d"},
    {"Type_hvector", "i i i d d"},
    {"Type_indexed", "i I I d d"},
    {"Type_hindexed", "i I I d d"},
    {"Type_struct", "i I I D d"},
    {"Address", "i"},
    {"Type_extent", "d i"},
    {"Type_size", "d i"},
    {"Type_lb", "d i"},
    {"Type_ub", "d i"},
    {"Type_commit", "d"},
    {"Type_free", "d"},
    {"Get_elements", "s d i"},
    {"Pack", "i d i i i c"},
    {"Unpack", "i i i i d c"},
    {"Pack_size", "i d c i"},
    {"Barrier", "ccomm"},
    {"Bcast", "icount ddatatype iroot ccomm"},
    {"Gather", "icommrank isendcount dsendtype iroot ccomm ? irecvcount drecvtype"},
    {"Gatherv", "icommrank icommsize isendcount dsendtype iroot ccomm ? Irecvcounts I . drecvtype"},
    {"Scatter", "icommrank irecvcount drecvtype iroot ccomm ? isendcount dsendtype"},
    {"Scatterv", "icommrank icommsize dsendtype irecvcount drecvtype iroot ccomm ? Isendcounts I"},
    {"Allgather", gathers},
    {"Allgatherv", "i isendcount dsendtype Irecvcounts I drecvtype ccomm"},
    {"Alltoall", gathers},
    {"Alltoallv", "i Isendcounts I dsendtype Irecvcounts I drecvtype ccomm"},
    {"Reduce", "icount ddatatype b iroot ccomm"},
    {"Op_create", "i b"},
    {"Op_free", "b"},
    {"Allreduce", reduces},
    {"Reduce_scatter", "i Irecvcounts ddatatype b ccomm"},
    {"Scan", reduces},
    {"Group_size", "h i"},
    {"Group_rank", "h i"},
    {"Group_translate_ranks", "h i I h I"},
    {"Group_compare", "h h b"},
    {"Comm_group", "c h"},
    {"Group_union", "h h h"},
    {"Group_intersection", "h h h"},
    {"Group_difference", "h h h"},
    {"Group_incl", "h i I h"},
    {"Group_excl", "h i I h"},
    {"Group_range_incl", "h i J h"},
    {"Group_range_excl", "h i J h"},
    {"Group_free", "h"},
    {"Comm_size", "ccomm isize"},
    {"Comm_rank", "ccomm irank"},
    {"Comm_compare", "c c b"},
    {"Comm_dup", "c c"},
    {"Comm_create", "c h c"},
    {"Comm_split", "c i i c"},
    {"Comm_free", "c"},
    {"Comm_test_inter", "c i"},
    {"Comm_remote_size", "c i"},
    {"Comm_remote_group", "c h"},
    {"Intercomm_create", "c i c i i c"},
    {"Intercomm_merge", "c i c"},
    {"Keyval_create", "h"},
    {"Keyval_free", "h"},
    {"Attr_put", "c i"},
    {"Attr_get", "c i i"},
    {"Attr_delete", "c i"},
    {"Topo_test", "c b"},
    {"Cart_create", "c i I I i c"},
    {"Dims_create", "i i I I"},
    {"Graph_create", "i c i I I i c"},
    {"Graphdims_get", "c i i"},
    {"Graph_get", "i i c i i I I"},
    {"Cartdim_get", "c i"},
    {"Cart_get", "i c i I I I"},
    {"Cart_rank", "i c I i"},
    {"Cart_coords", "i c i i I"},
    {"Graph_neighbors_count", "c i i"},
    {"Graph_neighbors", "i c i i I"},
    {"Cart_shift", "c i i i i"},
    {"Cart_sub", "i c I c"},
    {"Cart_map", "c i I I i"},
    {"Graph_map", "i c i I I i"},
    {"Get_processor_name", "t i"},
    {"Get_version", "i i"},
    {"Errhandler_create", "h"},
    {"Errhandler_set", "c h"},
    {"Errhandler_get", "c h"},
    {"Errhandler_free", "h"},
    {"Error_string", "i t i"},
    {"Error_class", "i i"},
    {"Wtime", ""},
    {"Wtick", ""},
    {"Init", "T"},
    {"Finalize", ""},
    {"Initialized", "i"},
    {"Abort", "c i"},
    {"Pcontrol", ""},
    {"Close_port", "t"},
    {"Comm_accept", "t h i c c"},
    {"Comm_connect", "t h i c c"},
    {"Comm_disconnect", "c"},
    {"Comm_get_parent", "c"},
    {"Comm_join", "i c"},
    {"Comm_spawn", "icommrank iroot c c ? t T i h I"},
    {"Comm_spawn_multiple", "i icommrank iroot c c ? i T U I H I"},
    {"Lookup_name", "t h t"},
    {"Open_port", "h t"},
    {"Publish_name", "t h t"},
    {"Unpublish_name", "t h t"},
    {"Accumulate", "i d i i i d b h"},
    {"Get", accesses},
    {"Put", accesses},
    {"Win_complete", "h"},
    {"Win_create", "i i h c h"},
    {"Win_fence", "b h"},
    {"Win_free", "h"},
    {"Win_get_group", "h h"},
    {"Win_lock", "b i b h"},
    {"Win_post", "h b h"},
    {"Win_start", "h b h"},
    {"Win_test", "h i"},
    {"Win_unlock", "i h"},
    {"Win_wait", "h"},
    {"Alltoallw", "i I I D I I D ccomm"},
    {"Exscan", reduces},
    {"Add_error_class", "i"},
    {"Add_error_code", "i i"},
    {"Add_error_string", "i t"},
    {"Comm_call_errhandler", "c i"},
    {"Comm_create_keyval", "h"},
    {"Comm_delete_attr", "c h"},
    {"Comm_free_keyval", "h"},
    {"Comm_get_attr", "c h i"},
    {"Comm_get_name", "c t i"},
    {"Comm_set_attr", "c h"},
    {"Comm_set_name", "c t"},
    {"File_call_errhandler", "h i"},
    {"Grequest_complete", "r"},
    {"Grequest_start", "r"},
    {"Init_thread", "T b b"},
    {"Is_thread_main", "i"},
    {"Query_thread", "b"},
    {"Status_set_cancelled", "s i"},
    {"Status_set_elements", "s d i"},
    {"Type_create_keyval", "h"},
    {"Type_delete_attr", "d h"},
    {"Type_dup", "d d"},
    {"Type_free_keyval", "h"},
    {"Type_get_attr", "d h i"},
    {"Type_get_contents", "i i i d i i i I I D"},
    {"Type_get_envelope", "d i i i b"},
    {"Type_get_name", "d t i"},
    {"Type_set_attr", "d h"},
    {"Type_set_name", "d t"},
    {"Type_match_size", "b i d"},
    {"Win_call_errhandler", "h i"},
    {"Win_create_keyval", "h"},
    {"Win_delete_attr", "h h"},
    {"Win_free_keyval", "h"},
    {"Win_get_attr", "h h i"},
    {"Win_get_name", "h t i"},
    {"Win_set_attr", "h h"},
    {"Win_set_name", "h t"},
    {"Alloc_mem", "i h"},
    {"Comm_create_errhandler", "h"},
    {"Comm_get_errhandler", "c h"},
    {"Comm_set_errhandler", "c h"},
    {"File_create_errhandler", "h"},
    {"File_get_errhandler", "h h"},
    {"File_set_errhandler", "h h"},
    {"Finalized", "i"},
    {"Free_mem", ""},
    {"Get_address", "i"},
    {"Info_create", "h"},
    {"Info_delete", "h t"},
    {"Info_dup", "h h"},
    {"Info_free", "h"},
    {"Info_get", "h t i t i"},
    {"Info_get_nkeys", "h i"},
    {"Info_get_nthkey", "h i t"},
    {"Info_get_valuelen", "h t i i"},
    {"Info_set", "h t t"},
    {"Pack_external", "t i d i i i"},
    {"Pack_external_size", "t i d i"},
    {"Request_get_status", "r i s"},
    {"Type_create_darray", "i i i I B I I b d d"},
    {"Type_create_hindexed", "i I I d d"},
    {"Type_create_hvector", "i i i d d"},
    {"Type_create_indexed_block", "i i I d d"},
    {"Type_create_resized", "d i i d"},
    {"Type_create_struct", "i I I D d"},
    {"Type_create_subarray", "i I I I b d d"},
    {"Type_get_extent", "d i i"},
    {"Type_get_true_extent", "d i i"},
    {"Unpack_external", "t i i i i d"},
    {"Win_create_errhandler", "h"},
    {"Win_get_errhandler", "h h"},
    {"Win_set_errhandler", "h h"},
    {"File_open", "c t b h h"},
    {"File_close", "h"},
    {"File_delete", "t h"},
    {"File_set_size", "h l"},
    {"File_preallocate", "h l"},
    {"File_get_size", "h l"},
    {"File_get_group", "h h"},
    {"File_get_amode", "h b"},
    {"File_set_info", "h h"},
    {"File_get_info", "h h"},
    {"File_set_view", "h l d d t h"},
    {"File_get_view", "h l d d t"},
    {"File_read_at", reads_at},
    {"File_read_at_all", reads_at},
    {"File_write_at", reads_at},
    {"File_write_at_all", reads_at},
    {"File_iread_at", starts_at},
    {"File_iwrite_at", starts_at},
    {"File_read", reads},
    {"File_read_all", reads},
    {"File_write", reads},
    {"File_write_all", reads},
    {"File_iread", starts},
    {"File_iwrite", starts},
    {"File_seek", "h l b"},
    {"File_get_position", "h l"},
    {"File_get_byte_offset", "h l l"},
    {"File_read_shared", reads},
    {"File_write_shared", reads},
    {"File_iread_shared", starts},
    {"File_iwrite_shared", starts},
    {"File_read_ordered", reads},
    {"File_write_ordered", reads},
    {"File_seek_shared", "h l b"},
    {"File_get_position_shared", "h l"},
    {"File_read_at_all_begin", "h l i d"},
    {"File_read_at_all_end", ends_io},
    {"File_write_at_all_begin", "h l i d"},
    {"File_write_at_all_end", ends_io},
    {"File_read_all_begin", begins_io},
    {"File_read_all_end", ends_io},
    {"File_write_all_begin", begins_io},
    {"File_write_all_end", ends_io},
    {"File_read_ordered_begin", begins_io},
    {"File_read_ordered_end", ends_io},
    {"File_write_ordered_begin", begins_io},
    {"File_write_ordered_end", ends_io},
    {"File_get_type_extent", "h d i"},
    {"Register_datarep", "t"},
    {"File_set_atomicity", "h i"},
    {"File_get_atomicity", "h i"},
    {"File_sync", "h"},
    {"MPIO_Test", "r i s"},
    {"MPIO_Wait", "r s"},
    {"MPIO_Testall", "i R i s"},
    {"MPIO_Waitall", "i R s"},
    {"MPIO_Testany", "i R i i s"},
    {"MPIO_Waitany", "i R i s"},
    {"MPIO_Waitsome", "i R i I s"},
    {"MPIO_Testsome", "i R i I s"},
}};

static_assert(functions.back().name == "MPIO_Testsome");
/// The numbers after the functions: their count, two marks of functions that are not MPI's, the end of the
/// calls.
constexpr std::uint64_t enters = functions.size() + 1, leaves = enters + 1, end_of_calls = leaves + 1;

constexpr std::array<std::string_view, 28> type_names = {"MPI_DATATYPE_ERROR",
                                                         "MPI_DATATYPE_NULL",
                                                         "MPI_CHAR",
                                                         "MPI_SIGNED_CHAR",
                                                         "MPI_UNSIGNED_CHAR",
                                                         "MPI_BYTE",
                                                         "MPI_WCHAR",
                                                         "MPI_SHORT",
                                                         "MPI_UNSIGNED_SHORT",
                                                         "MPI_INT",
                                                         "MPI_UNSIGNED",
                                                         "MPI_LONG",
                                                         "MPI_UNSIGNED_LONG",
                                                         "MPI_FLOAT",
                                                         "MPI_DOUBLE",
                                                         "MPI_LONG_DOUBLE",
                                                         "MPI_LONG_LONG_INT",
                                                         "MPI_UNSIGNED_LONG_LONG",
                                                         "MPI_LONG_LONG",
                                                         "MPI_PACKED",
                                                         "MPI_LB",
                                                         "MPI_UB",
                                                         "MPI_FLOAT_INT",
                                                         "MPI_DOUBLE_INT",
                                                         "MPI_LONG_INT",
                                                         "MPI_SHORT_INT",
                                                         "MPI_2INT",
                                                         "MPI_LONG_DOUBLE_INT"};
constexpr std::array<std::string_view, 4> comm_names = {"MPI_COMM_ERROR", "MPI_COMM_NULL", "MPI_COMM_WORLD",
                                                        "MPI_COMM_SELF"};

template <std::size_t n>
std::string named(std::uint64_t number, const std::array<std::string_view, n>& names) {
  return std::to_string(number) + " (" + std::string(number < n ? names[number] : "user-defined") + ")";
}

/// Reads whole numbers, the highest byte first, at places that only ascend.
class Numbers {
 public:
  explicit Numbers(const std::string& path) : input_(path) {}

  std::uint64_t at() const { return at_; }
  void bound(std::uint64_t end) { end_ = end; }  ///< nothing is read beyond the end
  bool ended() const { return at_ >= end_; }

  std::uint64_t natural(std::size_t bytes) {
    char text[8];
    take(text, bytes);
    return number_of_bytes(text, bytes, true);
  }
  std::int64_t whole() { return static_cast<std::int32_t>(natural(4)); }
  void go(std::uint64_t place) {
    if (place < at_) damaged();
    char waste[4096];
    while (at_ < place)
      take(waste, static_cast<std::size_t>(std::min<std::uint64_t>(sizeof waste, place - at_)));
  }
  void skip(std::uint64_t bytes) {
    if (bytes > end_ - at_) damaged();
    go(at_ + bytes);
  }
  /// How many elements of `bytes` bytes follow, but not more than there is room for.
  std::uint64_t count(std::size_t bytes) {
    const std::uint64_t n = natural(4);
    if (n * bytes > end_ - at_) damaged();
    return n;
  }
  [[noreturn]] void damaged() const {
    throw InputError(input_.path() + ": the DUMPI trace is damaged or cut short at byte " +
                     std::to_string(at_));
  }

 private:
  void take(char* to, std::size_t bytes) {
    if (bytes > end_ - at_) damaged();
    for (std::size_t n = 0; bytes > 0; bytes -= n, to += n, at_ += n)
      if ((n = input_.read(to, bytes)) == 0) damaged();
  }

  Input input_;
  std::uint64_t at_ = 0, end_ = std::uint64_t{1} << 62;
};

/// Where the parts of the file are; 0: the part is absent.
struct Places {
  std::uint64_t sizes = 0, header = 0, body = 0, footer = 0, file = 0;
};

/// Finds the parts. The last eight bytes are the place of the last part, the eight before them that of the
/// part before, and so on back to the magic.
Places places(const std::string& path) {
  Input input(path);
  std::string tail, piece(1 << 16, '\0');
  Places p;
  for (std::size_t n; (n = input.read(piece.data(), piece.size())) > 0; p.file += n) {
    tail.append(piece, 0, n);
    if (tail.size() > 64) tail.erase(0, tail.size() - 64);
  }
  const std::size_t magic = tail.rfind(dumpi_magic);
  const std::size_t parts = magic == std::string::npos || p.file <= 64 ? 0 : (tail.size() - magic) / 8 - 1;
  if (parts < 4 || (tail.size() - magic) % 8 != 0)
    throw InputError(path +
                     ": a DUMPI trace that is cut short: the list of its parts, at its end, is not there");
  const auto place = [&](std::size_t from_end) {
    return number_of_bytes(tail.data() + tail.size() - 8 * from_end, 8, true);
  };
  p.footer = place(2), p.body = place(3), p.header = place(4);
  if (parts == 7) p.sizes = place(7);
  if (p.body < 8 || p.header < p.body || p.header >= p.file)
    throw InputError(path + ": a DUMPI trace whose parts are not where the list at its end says");
  return p;
}

class CallStream {
 public:
  CallStream(const std::string& path, const Places& places, DumpiFacts& facts) : numbers_(path) {
    facts_behind(path, places, facts);
    numbers_.go(places.body);
    numbers_.bound(places.header);
    numbers_.whole();  // bias of the processor's clock
    wall_bias_ = numbers_.whole();
  }

  bool next() {
    while (!numbers_.ended()) {
      const std::uint64_t number = numbers_.natural(2);
      if (number == end_of_calls || (number == 0 && finalized_)) return false;
      const bool function = number == enters || number == leaves;
      if (number >= functions.size() && !function) numbers_.damaged();
      begin();
      if (function) {  // mark of a function of the application
        numbers_.skip(8);
        continue;
      }
      const Function& f = functions[number];
      call.name = f.name.starts_with("MPI") ? std::string(f.name) : "MPI_" + std::string(f.name);
      finalized_ = finalized_ || f.name == "Finalize";
      arguments(f);
      return true;
    }
    return false;
  }

  MpiCall call;

 private:
  bool since(int version, int sub, int subsub) const {
    return std::array{version_[0], version_[1], version_[2]} >= std::array{version, sub, subsub};
  }

  /// Reads the parts behind the calls: the version, which tells how calls are read; ignored calls; sizes of
  /// types.
  void facts_behind(const std::string& path, const Places& places, DumpiFacts& facts) {
    Numbers header(path);
    header.go(places.header);
    for (int& n : version_) n = static_cast<int>(header.natural(1));
    if (places.footer != 0) {
      Numbers footer(path);
      footer.go(places.footer);
      if (footer.natural(8) != 0xf007fee7) footer.damaged();
      footer.skip(4 * (functions.size() + 1));
      for (std::size_t i = 0; i < functions.size(); ++i)
        facts.ignored += std::max<std::int64_t>(footer.whole(), 0);
    }
    if (places.sizes == 0) return;
    Numbers sizes(path);
    sizes.bound(places.file);
    sizes.go(places.sizes);
    const auto count = static_cast<std::int64_t>(sizes.count(4));
    for (std::int64_t i = 0; i < count; ++i)
      if (const std::int64_t bytes = sizes.whole(); bytes >= 0 && bytes < 1 << 30)
        facts.type_bytes[i] = bytes;
  }

  /// Reads what stands before the arguments of every call.
  void begin() {
    mask_ = numbers_.natural(1);
    call = {};
    if (mask_ & 0x40) numbers_.skip(2);   // thread
    if (mask_ & 0x04) numbers_.skip(12);  // processor's time
    if (mask_ & 0x08) {
      call.enter = time();
      call.leave = std::max(call.enter, time());
    }
    if (mask_ & 0x80) numbers_.skip(16 * numbers_.natural(1));  // performance counters
  }
  std::int64_t time() {
    const std::int64_t seconds = static_cast<std::int64_t>(numbers_.natural(2)) + wall_bias_;
    const auto ns = static_cast<std::int64_t>(numbers_.natural(4));
    return std::clamp<std::int64_t>(seconds, 0, 8'000'000'000) * 1'000'000'000 + ns;
  }

  void arguments(const Function& f) {
    std::size_t arrays = 0;
    bool there = true;
    if (f.name == "Init" && !since(0, 6, 2)) numbers_.skip(4);
    for (std::string_view rest = f.arguments; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      char form = word[0];
      if (form == '?') there = call.text("commrank") == call.text("root");
      if (form == '.') there = true;
      if (form == '?' || form == '.' || !there) continue;
      arrays += form == 'I' ? 1 : 0;
      if ((f.name == "Type_struct" && arrays == 2 && form == 'I' && !since(0, 6, 9)) ||
          (f.name == "Cart_get" && arrays == 3 && form == 'I' && !since(0, 6, 8)))
        form = 'i';  // DUMPI writes it so by mistake
      argument(form, word.substr(1));
    }
  }

  void argument(char form, std::string_view name) {
    const auto keep = [&](std::string text) {
      if (!name.empty()) call.arguments.emplace(name, std::move(text));
    };
    switch (form) {
      case 'i':
        return keep(std::to_string(numbers_.whole()));
      case 'r':
        return keep("[" + std::to_string(numbers_.whole()) + "]");
      case 'd':
        return keep(named(numbers_.natural(2), type_names));
      case 'c':
        return keep(named(numbers_.natural(2), comm_names));
      case 'I':
      case 'R':
        return keep(list(!name.empty()));
      case 's':
        if (mask_ & 0x03) numbers_.skip(numbers_.count(10) * (since(0, 6, 3) ? 14 : 10));
        return;
      case 'J':
      case 'T':
      case 'U':
        for (std::uint64_t n = numbers_.count(4); n > 0; --n)
          argument(form == 'J' ? 'I' : form == 'T' ? 't' : 'T', {});
        return;
      default:
        skip(form);
    }
  }

  std::string list(bool kept) {
    std::uint64_t n = numbers_.count(4);
    if (!kept) numbers_.skip(4 * n);
    std::string text = "[";
    for (; kept && n > 0; --n) text += std::to_string(numbers_.whole()) + (n > 1 ? ", " : "");
    return text + "]";
  }

  void skip(char form) {
    const auto bytes = [](char c) { return c == 'l' ? 8 : c == 'b' || c == 't' || c == 'B' ? 1 : 2; };
    const bool array = form == 't' || form == 'D' || form == 'H' || form == 'B';
    const auto size = static_cast<std::size_t>(bytes(form));
    numbers_.skip(size * (array ? numbers_.count(size) : 1));
  }

  Numbers numbers_;
  std::array<int, 3> version_{};
  std::int64_t wall_bias_ = 0;
  std::uint64_t mask_ = 0;
  bool finalized_ = false;
};

}  // namespace

bool is_binary_dumpi(std::string_view head) {
  return head.starts_with(dumpi_magic);
}

void read_binary_dumpi(const std::string& path, DumpiFacts& facts, const VisitCall& visit) {
  for (CallStream calls(path, places(path), facts); calls.next();) visit(calls.call);
}

}  // namespace collcast
