import seam

/// Makes every call of a scenario fail, one in each round.
struct FaultRounds {
    let scenario: Scenario
    /// The name of a fault, `all`, `each` or `some`.
    let faults: String
    /// Which calls fail with `some`, one in ``interval``, and in which way. That many turns for each way reach all
    /// calls in all ways.
    let turn: Int
    /// The number of the only call that fails; nil for every call.
    let number: UInt64?

    /// The time limit of a round in seconds; a round takes some milliseconds.
    private static let patience: UInt32 = 120
    /// With `some`, one call of this number fails in a turn, so that as many turns reach every call.
    private static let interval = 24

    func run() throws -> Bool {
        let home = Workplace.home
        try Tree().write(to: home)
        let expectation = try scenario.prepare(home)
        let before = try Tree(reading: home)
        let dry = try round(before, expectation, nil, 0)
        guard dry.problems.isEmpty else {
            for problem in dry.problems { Output.say("problem: \(scenario.name) with nothing failing: \(problem)") }
            return false
        }
        let kinds = (0...dry.calls).map { seam_kind($0) }
        var injected = 0, survived = 0, refused = 0
        for number in 1...dry.calls where self.number == nil || number == self.number {
            for fault in faults(at: Int(number), kinds[Int(number)]) {
                let text = "\(scenario.name) \(fault.name) \(number)"
                seam_watch(Self.patience, "fault-injection faults \(text)")
                let round = try round(before, expectation, fault, number)
                guard round.hasStruck else { continue }
                injected += 1
                refused += round.failures > 0 ? 1 : 0
                if round.problems.isEmpty { survived += 1 }
                for problem in round.problems {
                    Output.say("problem: fault-injection faults \(text) (\(round.place)): \(problem)")
                }
            }
        }
        seam_watch(0, "")
        Output.say(
            "faults scenario=\(scenario.name) calls=\(dry.calls) injected=\(injected) survived=\(survived) refused=\(refused)"
        )
        return injected == survived
    }

    /// The ways in which the call of a number and kind fails.
    private func faults(at number: Int, _ kind: Int32) -> [Fault] {
        let fitting = Fault.all.filter { $0.befalls(kind) }
        switch faults {
        case "all": return fitting
        case "each": return fitting.isEmpty ? [] : [fitting[number % fitting.count]]
        case "some":
            let step = number + turn
            guard step % Self.interval == 0, !fitting.isEmpty else { return [] }
            return [fitting[step / Self.interval % fitting.count]]
        default: return fitting.filter { $0.name == faults }
        }
    }

    private struct Round {
        var calls: UInt64 = 0
        var hasStruck = false
        var failures = 0
        var place = ""
        var problems: [String] = []
    }

    private func round(
        _ before: Tree, _ expectation: Expectation, _ fault: Fault?, _ number: UInt64
    ) throws -> Round {
        let path = Workplace.home
        try before.write(to: path)
        var result = Round()
        var last = expectation
        do {
            seam_arm(path, number, Int32((fault?.manner ?? SEAM_NONE).rawValue), fault?.code ?? 0)
            let run = ScenarioRun(path, expectation, isFailing: fault != nil)
            scenario.run(run)
            result.problems = run.problems
            result.failures = run.failures
            last = run.expectation
        }
        // Both daemons have ended, and closed their descriptors.
        result.calls = seam_disarm()
        result.hasStruck = seam_has_struck() != 0
        result.place = String(cString: seam_where())
        let open = seam_open_count()
        if open != 0 { result.problems.append("\(open) files are left open") }
        result.problems += Inspection(path, last).problems
        return result
    }
}
