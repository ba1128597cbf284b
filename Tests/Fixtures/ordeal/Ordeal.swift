import Glibc
import seam

/// What both daemons do with files, in one process, while the system calls fail and the power goes.
///
///     ordeal faults SCRIPT all             every call of a script fails, in every way; each time everything is looked at
///     ordeal faults SCRIPT each            the same, each call in one way, which changes from call to call
///     ordeal faults SCRIPT some            the same, every third call
///     ordeal faults SCRIPT FAULT [NUMBER]  one way, or one round
///     ordeal cuts SCRIPT SEED N            the power goes after every change of a file; N arrangements of what was not
///                                          synced, besides nothing and all of it; with 1, one of the three at each
///     ordeal cuts SCRIPT SEED N CHANGE     one place
///     ordeal audit SCRIPT                  ends with an error where a system call on files does not pass the seam
///     ordeal list                          the names of the scripts
///
/// It prints one line for each problem, which says what to run to see it again, and one of counts in the end; the status is 0
/// where there was no problem. Called by the tests of `OrdealTests`.
@main
enum Ordeal {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "list":
            for script in Script.all { Output.say(script.name) }
        case "faults" where (3...4).contains(words.count):
            run(words[1]) {
                try FaultRounds(script: $0, faults: words[2], number: words.dropFirst(3).first.flatMap { UInt64($0) })
                    .run()
            }
        case "cuts" where (4...5).contains(words.count):
            run(words[1]) {
                try PowerCuts(
                    script: $0, seed: UInt64(words[2]) ?? 0, arrangements: Int(words[3]) ?? 1,
                    only: words.dropFirst(4).first.flatMap { Int($0) }
                ).run()
            }
        case "audit" where words.count == 2: run(words[1]) { try Audit(script: $0).run() }
        default: Output.end("usage: ordeal faults|cuts|audit SCRIPT … | list")
        }
    }

    private static func run(_ name: String, _ body: (Script) throws -> Bool) {
        guard let script = Script.all.first(where: { $0.name == name }) else { Output.end("no such script") }
        do {
            let isWell = try body(script)
            Workplace.clear()
            exit(isWell ? 0 : 1)
        } catch {
            Workplace.clear()
            Output.end("problem: \(name): \(error)")
        }
    }
}
