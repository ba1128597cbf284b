import CChatelaine
import ChatelaineSystem
import Glibc

extension SecurityTool {
    /// Runs the command line of this process, and returns the exit status.
    package static func run() -> Int32 {
        // Otherwise the socket to the daemon could become standard output, and receive a secret.
        guard chatelaine_reserve_standard_descriptors() == 0 else {
            let context = ToolContext.process()
            context.complain("/dev/null cannot be opened: \(Errno.last)")
            return ExitStatus.failure
        }
        // ArgumentParser builds help texts for some errors in this width, and ends the process if it is too narrow.
        //
        // The texts that are shown have their own width. The process has only one thread yet.
        setenv("COLUMNS", "80", 1)
        return run(arguments: CommandLine.unsafeArgv, count: CommandLine.argc, in: .process())
    }

    /// - Parameter words: the name of the program and its arguments, as main gets them.
    static func run(
        arguments words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int32, in context: ToolContext
    ) -> Int32 {
        var arguments: [String] = []
        for index in 1..<max(1, Int(count)) {
            // SAFETY: the kernel gives `count` strings that end in a zero and live as long as the process.
            guard let word = words[index], let text = String(validatingCString: word) else {
                // A repaired argument would name another item or file.
                context.complain("argument \(index) is not UTF-8; a locale such as C.UTF-8 writes it so")
                return ExitStatus.usage
            }
            arguments.append(text)
        }
        return run(arguments, in: context)
    }
}
