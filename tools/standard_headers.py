"""Which standard headers declare which names: the table that tools/check_includes.py asks.

It knows what this project uses. A name in several lines may come from any of these headers.
"""

# Containers, ranges over them and their like: all of them declare std::begin and its relatives, and initializer_list.
CONTAINERS = ["array", "deque", "forward_list", "list", "map", "regex", "set", "span", "string", "string_view",
              "unordered_map", "unordered_set", "vector"]

# Header: names in namespace std, or of its inner namespaces.
DECLARES = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range fill
        fill_n find find_first_of find_if find_if_not for_each generate includes is_permutation is_sorted iter_swap
        lexicographical_compare lexicographical_compare_three_way lower_bound make_heap max max_element merge min min_element
        minmax minmax_element mismatch move next_permutation none_of nth_element partial_sort partition partition_point pop_heap
        prev_permutation push_heap ranges remove remove_if replace replace_if reverse rotate search set_difference
        set_intersection set_union shuffle sort stable_partition stable_sort swap_ranges transform unique upper_bound""",
    "array": "array get to_array tuple_size tuple_size_v tuple_element_t",
    "atomic": """atomic atomic_flag atomic_thread_fence memory_order memory_order_acq_rel memory_order_acquire
        memory_order_relaxed memory_order_release memory_order_seq_cst""",
    "barrier": "barrier",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian has_single_bit popcount",
    "bitset": "bitset",
    "cctype": "isalnum isalpha isdigit islower isspace isupper isxdigit tolower toupper",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono chrono_literals literals",
    "cmath": "abs ceil cos exp floor fmod isfinite isinf isnan llround log log10 log2 lround modf pow round sin sqrt trunc",
    "compare": """compare_three_way is_eq is_gt is_gteq is_lt is_lteq is_neq partial_ordering strong_order strong_ordering
        three_way_comparable weak_ordering""",
    "complex": "complex",
    "concepts": """assignable_from constructible_from convertible_to copyable default_initializable derived_from
        equality_comparable floating_point integral invocable movable predicate regular regular_invocable same_as semiregular
        signed_integral totally_ordered unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "coroutine": "coroutine_handle noop_coroutine suspend_always suspend_never",
    "csignal": "raise sig_atomic_t signal",
    "cstdarg": "va_list",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": """int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t uint_fast32_t uintmax_t
        uintptr_t""",
    "cstdio": """FILE fclose feof fflush fgets fopen fprintf fputc fputs fread fwrite perror printf putchar puts remove rename
        size_t snprintf sscanf vsnprintf""",
    "cstdlib": """abort abs at_quick_exit atexit atof atoi atol calloc div exit free getenv llabs malloc mblen qsort quick_exit
        realloc size_t strtod strtol strtoll strtoul strtoull system""",
    "cstring": """memchr memcmp memcpy memmove memset size_t strcat strchr strcmp strcpy strcspn strerror strlen strncmp
        strncpy strrchr strstr""",
    "ctime": "asctime clock_t ctime difftime gmtime localtime mktime size_t strftime time time_t tm",
    "deque": "deque erase erase_if",
    "exception": """current_exception exception exception_ptr get_terminate make_exception_ptr rethrow_exception set_terminate
        terminate uncaught_exceptions""",
    "execution": "execution",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "basic_ifstream basic_ofstream filebuf fstream ifstream ofstream",
    "functional": """bind bind_front bit_and bit_or cref divides equal_to function greater greater_equal hash identity invoke
        less less_equal logical_not minus mem_fn modulus multiplies negate not_equal_to not_fn plus ref reference_wrapper""",
    "future": "async future future_error future_status launch packaged_task promise shared_future",
    "initializer_list": "initializer_list",
    "iomanip": "get_time put_time quoted setfill setprecision setw",
    "ios": """boolalpha defaultfloat dec fixed hex ios ios_base left noboolalpha oct right scientific streamsize uppercase
        nouppercase""",
    "iosfwd": "basic_istream basic_ostream istream ostream streambuf streampos",
    "iostream": "cerr cin clog cout",
    "istream": "basic_istream iostream istream ws",
    "iterator": """advance back_insert_iterator back_inserter bidirectional_iterator_tag contiguous_iterator_tag
        default_sentinel distance forward_iterator forward_iterator_tag front_inserter input_iterator input_iterator_tag
        insert_iterator inserter istream_iterator istreambuf_iterator iter_value_t iterator_traits make_move_iterator
        make_reverse_iterator move_iterator next ostream_iterator ostreambuf_iterator output_iterator_tag prev
        random_access_iterator random_access_iterator_tag reverse_iterator""",
    "latch": "latch",
    "limits": "numeric_limits",
    "list": "list erase erase_if",
    "locale": "locale",
    "map": "map multimap erase_if",
    "memory": """addressof align allocate_shared allocator allocator_traits bad_weak_ptr const_pointer_cast construct_at
        default_delete destroy destroy_at dynamic_pointer_cast enable_shared_from_this hash make_shared make_unique owner_less
        pointer_traits reinterpret_pointer_cast shared_ptr static_pointer_cast to_address unique_ptr uninitialized_copy
        uninitialized_move weak_ptr""",
    "memory_resource": "pmr",
    "mutex": """adopt_lock call_once defer_lock lock lock_guard mutex once_flag recursive_mutex scoped_lock timed_mutex
        try_to_lock unique_lock""",
    "new": "align_val_t bad_alloc destroying_delete_t get_new_handler launder new_handler nothrow nothrow_t set_new_handler",
    "numbers": "numbers",
    "numeric": "accumulate adjacent_difference gcd inner_product iota lcm midpoint partial_sum reduce transform_reduce",
    "optional": "bad_optional_access hash make_optional nullopt nullopt_t optional",
    "ostream": "basic_ostream endl ends flush ostream",
    "queue": "priority_queue queue",
    "random": """bernoulli_distribution default_random_engine discrete_distribution exponential_distribution minstd_rand mt19937
        mt19937_64 normal_distribution random_device seed_seq uniform_int_distribution uniform_real_distribution""",
    "ranges": "ranges views",
    "ratio": "giga kilo mega micro milli nano ratio",
    "regex": "cmatch regex regex_constants regex_error regex_iterator regex_match regex_replace regex_search smatch "
             "sregex_iterator sub_match",
    "scoped_allocator": "scoped_allocator_adaptor",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "erase_if multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringbuf stringstream",
    "stack": "stack",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error runtime_error",
    "stop_token": "nostopstate stop_callback stop_source stop_token",
    "streambuf": "basic_streambuf streambuf",
    "string": """basic_string char_traits erase erase_if getline hash stod stof stoi stol stoll stoul stoull string
        string_literals to_string u16string u32string u8string wstring""",
    "string_view": "basic_string_view hash string_view string_view_literals",
    "system_error": """errc error_category error_code error_condition generic_category hash is_error_code_enum make_error_code
        system_category system_error""",
    "thread": "hash jthread this_thread thread",
    "tuple": "apply forward_as_tuple get ignore make_from_tuple make_tuple tie tuple tuple_cat tuple_element_t tuple_size "
             "tuple_size_v",
    "type_traits": """add_const_t common_type_t conditional_t conjunction_v decay_t disjunction_v enable_if_t false_type
        has_unique_object_representations_v integral_constant invoke_result_t is_abstract_v is_aggregate_v is_arithmetic_v
        is_assignable_v is_base_of_v is_class_v is_const_v is_constant_evaluated is_constructible_v is_convertible_v
        is_copy_assignable_v is_copy_constructible_v is_default_constructible_v is_destructible_v is_empty_v is_enum_v
        is_final_v is_floating_point_v is_function_v is_integral_v is_invocable_r_v is_invocable_v is_lvalue_reference_v
        is_move_assignable_v is_move_constructible_v is_nothrow_copy_constructible_v is_nothrow_destructible_v
        is_nothrow_move_assignable_v is_nothrow_move_constructible_v is_nothrow_swappable_v is_null_pointer_v is_object_v
        is_pointer_v is_polymorphic_v is_reference_v is_rvalue_reference_v is_same is_same_v is_signed_v is_standard_layout_v
        is_trivially_copyable_v is_trivially_destructible_v is_unsigned_v is_void_v make_signed_t make_unsigned_t negation_v
        remove_const_t remove_cv_t remove_cvref_t remove_pointer_t remove_reference_t true_type type_identity_t
        underlying_type_t void_t""",
    "typeindex": "type_index",
    "typeinfo": "bad_cast type_info",
    "unordered_map": "erase_if unordered_map unordered_multimap",
    "unordered_set": "erase_if unordered_multiset unordered_set",
    "utility": """as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal cmp_not_equal declval exchange
        forward get in_place in_place_index in_place_index_t in_place_t in_place_type in_place_type_t in_range index_sequence
        index_sequence_for initializer_list integer_sequence make_index_sequence make_pair move move_if_noexcept pair
        piecewise_construct swap tuple_element_t tuple_size tuple_size_v""",
    "variant": """bad_variant_access get get_if hash holds_alternative monostate variant variant_alternative_t variant_npos
        variant_size variant_size_v visit""",
    "vector": "erase erase_if vector",
    "version": "",
}
FROM_ANY_CONTAINER = "begin cbegin cend crbegin crend data empty end initializer_list rbegin rend size ssize"

# Headers that include others by the standard's own words.
BRINGS = {
    "iostream": ["ios", "istream", "ostream"],
    "istream": ["ios"],
    "ostream": ["ios"],
    "fstream": ["ios", "istream", "ostream"],
    "sstream": ["ios", "istream", "ostream"],
    "iomanip": ["ios"],
    "random": ["initializer_list"],
    "chrono": ["compare", "ratio"],
    "thread": ["compare"],
    "system_error": ["compare"],
    "filesystem": ["compare"],
    "memory": ["compare"],
    "optional": ["compare"],
    "tuple": ["compare"],
    "utility": ["compare"],
    "variant": ["compare"],
    "iterator": ["compare", "concepts"],
    "ranges": ["iterator", "compare"],
    **{name: ["compare"] for name in CONTAINERS if name != "span"},
}

# Macros and names outside namespace std.
MACROS = {
    "assert": ["cassert"],
    "errno": ["cerrno"],
    "EINTR": ["cerrno"],
    "ENOENT": ["cerrno"],
    "ESRCH": ["cerrno"],
    "EAGAIN": ["cerrno"],
    "EWOULDBLOCK": ["cerrno"],
    **{name: ["csignal", "signal.h"]
       for name in ("SIGTERM", "SIGINT", "SIGKILL", "SIGSTOP", "SIGCONT", "SIGPIPE", "SIGHUP", "SIGCHLD")},
}


def providers() -> dict[str, set[str]]:
    """Each name with the headers that declare it."""
    table: dict[str, set[str]] = {}
    for header, names in DECLARES.items():
        for name in names.split():
            table.setdefault(name, set()).add(header)
    for name in FROM_ANY_CONTAINER.split():
        table.setdefault(name, set()).update([*CONTAINERS, "iterator"])
    table["initializer_list"] -= {"span", "string_view"}
    return table


def declared_by(headers: set[str]) -> set[str]:
    """The headers and those that the standard makes them include."""
    found, waiting = set(headers), list(headers)
    while waiting:
        new = [name for name in BRINGS.get(waiting.pop(), []) if name not in found]
        found.update(new)
        waiting += new
    return found
