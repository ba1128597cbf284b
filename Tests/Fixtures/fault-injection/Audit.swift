import seam

/// Runs a scenario while the kernel ends the process at any system call on files that bypasses the seam.
struct Audit {
    let scenario: Scenario

    func run() throws -> Bool {
        try Tree().write(to: Workplace.home)
        let expectation = try scenario.prepare(Workplace.home)
        guard seam_forbid_others() == 0 else {
            Output.say("problem: no filter can be set")
            return false
        }
        seam_arm(Workplace.home, 0, Int32(SEAM_NONE.rawValue), 0)
        var problems: [String] = []
        do {
            let run = ScenarioRun(Workplace.home, expectation, isFailing: false)
            scenario.run(run)
            problems = run.problems
        }
        let calls = seam_disarm()
        for problem in problems { Output.say("problem: fault-injection audit \(scenario.name): \(problem)") }
        Output.say("audit scenario=\(scenario.name) calls=\(calls)")
        return problems.isEmpty
    }
}
