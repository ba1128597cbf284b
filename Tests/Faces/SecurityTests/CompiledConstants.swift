/// The names and values of every public constant, as the compiler sees them.
///
/// The lists in Generated/ name the real symbols.
enum CompiledConstants {}
