import seam

/// Carries a script out where the kernel ends the process as soon as a system call on files passes by the seam.
struct Audit {
    let script: Script

    func run() throws -> Bool {
        try Tree().write(to: Workplace.home)
        let expectation = try script.prepare(Workplace.home)
        guard seam_forbid_others() == 0 else {
            Output.say("problem: no filter can be set")
            return false
        }
        seam_arm(Workplace.home, 0, Int32(SEAM_NONE.rawValue), 0)
        var problems: [String] = []
        do {
            let life = Life(Workplace.home, expectation, isFailing: false)
            script.run(life)
            problems = life.problems
        }
        let calls = seam_disarm()
        for problem in problems { Output.say("problem: ordeal audit \(script.name): \(problem)") }
        Output.say("audit script=\(script.name) calls=\(calls)")
        return problems.isEmpty
    }
}
