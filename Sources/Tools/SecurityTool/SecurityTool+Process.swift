import CChatelaine
import Glibc

extension SecurityTool {
    /// Runs the command line of this process, and returns the exit status.
    package static func run() -> Int32 {
        // Else the socket to the daemon could become standard output, and a secret be written into it.
        guard chatelaine_reserve_standard_descriptors() == 0 else {
            let context = ToolContext.process()
            context.complain("/dev/null cannot be opened: \(String(cString: strerror(errno)))")
            return ExitStatus.failure
        }
        // ArgumentParser makes help texts for some errors that nobody asked for, in this width, and ends the process where it is
        // too narrow. Those that are shown have a width of their own. There is one thread yet.
        setenv("COLUMNS", "80", 1)
        return run(arguments: CommandLine.unsafeArgv, count: CommandLine.argc, in: .process())
    }

    /// - Parameter words: the name of the program and its arguments, as main(3) gets them.
    static func run(
        arguments words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int32, in context: ToolContext
    ) -> Int32 {
        var arguments: [String] = []
        for index in 1..<max(1, Int(count)) {
            // SAFETY: the kernel gives `count` strings that end in a zero and live as long as the process.
            guard let word = words[index], let text = String(validatingCString: word) else {
                // Repaired, it would name another item or file.
                context.complain("argument \(index) is not UTF-8; a locale such as C.UTF-8 writes it so")
                return ExitStatus.usage
            }
            arguments.append(text)
        }
        return run(arguments, in: context)
    }
}
