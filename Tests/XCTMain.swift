import Testing

/// The entry point of the program that runs the tests, in place of the one that SwiftPM writes.
///
/// SwiftPM's would look for XCTest's tests in the index of the compiler. Writing that index takes a fifth of a build
/// (`Tools/common.sh`). Swift Testing finds its tests in the program itself, and there are no others here.
@main
struct XCTMain {
    static func main() async {
        // `swift test` runs the program once for each library, and asks for XCTest's tests before, where it has a
        // filter.
        let words = CommandLine.arguments
        if words.contains("--dump-tests-json") { return print(#"{"name":"All tests","tests":[]}"#) }
        guard zip(words, words.dropFirst()).contains(where: { $0 == ("--testing-library", "swift-testing") }) else {
            return
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
