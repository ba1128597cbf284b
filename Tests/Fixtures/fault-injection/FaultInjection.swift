import Glibc
import seam

/// Runs the file operations of both daemons in one process, with failing system calls and power cuts.
///
///     fault-injection faults SCENARIO all             every call of a scenario fails in every way, one in each round
///     fault-injection faults SCENARIO each            the same, each call in one way, which changes from call to call
///     fault-injection faults SCENARIO some TURN       the same, one call in 24, and others with the next turn
///     fault-injection faults SCENARIO FAULT [NUMBER]  one way, or one round
///     fault-injection cuts SCENARIO SEED N            the power goes after every change of a file; N arrangements of
///                                                     unsynced data, besides none and all of it; with 0, one of the
///                                                     three after every fourth change
///     fault-injection cuts SCENARIO SEED N CHANGE     the power goes after one change
///     fault-injection audit SCENARIO                  fails where a system call on files bypasses the seam
///     fault-injection list                            the names of the scenarios
///
/// It prints one line for each problem, with the command that repeats it, and a last line of counts. The status is 0 if
/// there was no problem. The tests of `FaultInjectionTests` run this program.
@main
enum FaultInjection {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "list":
            for scenario in Scenario.all { Output.say(scenario.name) }
        case "faults" where (3...4).contains(words.count):
            run(words[1]) {
                let number = words.dropFirst(3).first.flatMap { UInt64($0) }
                let isTurn = words[2] == "some"
                return try FaultRounds(
                    scenario: $0, faults: words[2], turn: isTurn ? Int(number ?? 0) : 0, number: isTurn ? nil : number
                ).run()
            }
        case "cuts" where (4...5).contains(words.count):
            run(words[1]) {
                try PowerCuts(
                    scenario: $0, seed: UInt64(words[2]) ?? 0, arrangements: Int(words[3]) ?? 1,
                    only: words.dropFirst(4).first.flatMap { Int($0) }
                ).run()
            }
        case "audit" where words.count == 2: run(words[1]) { try Audit(scenario: $0).run() }
        default: Output.end("usage: fault-injection faults|cuts|audit SCENARIO … | list")
        }
    }

    private static func run(_ name: String, _ body: (Scenario) throws -> Bool) {
        guard let scenario = Scenario.all.first(where: { $0.name == name }) else { Output.end("no such scenario") }
        do {
            let isWell = try body(scenario)
            Workplace.clear()
            exit(isWell ? 0 : 1)
        } catch {
            Workplace.clear()
            Output.end("problem: \(name): \(error)")
        }
    }
}
