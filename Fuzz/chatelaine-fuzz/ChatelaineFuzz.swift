import CFuzzer
import Glibc

/// `chatelaine-fuzz TARGET [libFuzzer's arguments]`, or `chatelaine-fuzz seeds FOLDER`.
@main
struct ChatelaineFuzz {
    /// The target of this process; a global because libFuzzer's callback has no context.
    nonisolated(unsafe) private static var target: FuzzTarget?
    private static let variable = "CHATELAINE_FUZZ_TARGET"

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "seeds" { return try Seeds.write(to: arguments[2]) }
        // For some work libFuzzer starts this program again, with only its own arguments.
        let isChild = arguments.count > 1 && arguments[1].hasPrefix("-")
        let name = isChild ? getenv(variable).map { String(cString: $0) } : arguments.dropFirst().first
        guard let name, let target = FuzzTarget(rawValue: name) else {
            print("usage: chatelaine-fuzz TARGET [libFuzzer's arguments], or chatelaine-fuzz seeds FOLDER")
            print("targets: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
            exit(64)
        }
        self.target = target
        setenv(variable, name, 1)
        // SAFETY: the target's name is taken out, and the list stays ended by a null pointer.
        let skipped = isChild ? 0 : 1
        var count = CommandLine.argc - Int32(skipped)
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + skipped
        list?[0] = CommandLine.unsafeArgv[0]
        exit(
            LLVMFuzzerRunDriver(&count, &list) { data, size in
                ChatelaineFuzz.target?.run(UnsafeRawBufferPointer(start: data, count: size))
                return 0
            })
    }
}
