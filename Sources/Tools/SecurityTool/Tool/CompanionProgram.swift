import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc

/// A program of ours that does the work of a command, with the same standard streams.
struct CompanionProgram {
    let name: String

    /// Runs the program to its end, and returns its exit status.
    func run(_ words: [String], in context: ToolContext) throws(ToolError) -> Int32 {
        let path = try locate(context.environment)
        var arguments = ([path] + words).map { (word: String) in strdup(word) } + [nil]
        var variables =
            [
                "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8",
                "\(CHATELAINE_ALLOCATOR_VARIABLE)=\(CHATELAINE_ALLOCATOR_SETTINGS)",
            ]
            .map { (variable: String) in strdup(variable) } + [nil]
        defer { for string in arguments + variables { free(string) } }
        var pid: pid_t = 0
        // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
        let error = posix_spawn(&pid, path, nil, nil, &arguments, &variables)
        guard error == 0 else { throw .failure("\(path) cannot be started: \(Errno(error))") }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw .failure("the end of \(path) cannot be waited for: \(Errno.last)") }
        }
        // This is WIFEXITED and WEXITSTATUS, which Swift does not import.
        guard status & 0x7F == 0 else { throw .failure("\(path) was ended by signal \(status & 0x7F)") }
        return status >> 8 & 0xFF
    }

    /// The path of the program in `CHATELAINE_LIBEXEC`, in the folder of this executable, or in `../libexec/chatelaine`
    /// from it.
    private func locate(_ environment: ProcessEnvironment) throws(ToolError) -> String {
        var folders: [String] = []
        if let folder = environment.path("CHATELAINE_LIBEXEC") { folders.append(folder) }
        if let folder = RealPath.folderOfThisProgram { folders += [folder, "\(folder)/../libexec/chatelaine"] }
        let candidates = folders.map { "\($0)/\(name)" }
        guard let program = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw .failure("\(name) is not installed: looked for \(candidates.joined(separator: ", "))")
        }
        return program
    }

    static let signing = CompanionProgram(name: "security-sign")
}
