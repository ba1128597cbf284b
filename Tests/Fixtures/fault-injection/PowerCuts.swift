import TestSupport

import seam

/// Cuts the power after every change that a scenario makes to a file, and starts anew from what is left.
struct PowerCuts {
    let scenario: Scenario
    let seed: UInt64
    /// The number of random arrangements of unsynced data after each change, besides none and all of it.
    ///
    /// With 0, every fourth change has one of the three, and the next seeds give each change each of them.
    let arrangements: Int
    /// The only change after which the power goes; nil for every change.
    let only: Int?

    private static let patience: UInt32 = 120

    func run() throws -> Bool {
        let home = Workplace.home
        try Tree().write(to: home)
        let expectation = try scenario.prepare(home)
        let before = try Tree(reading: home)
        let history = try record(expectation)
        var disk = try SimulatedDisk(before, at: home)
        var seen: Set<Int> = []
        var cuts = 0, survived = 0, current = 0, places = 0
        for index in 0..<seam_entry_count() {
            let entry = seam_entry(index).pointee
            if seam_event(UInt32(entry.event)) == SEAM_NOTE { current = Int(entry.offset) }
            try disk.apply(entry)
            places += 1
            // Each change has its own generator, so that a run of that change alone gives the same.
            var random = SeededGenerator(seed: seed &* 0x1_0000 &+ UInt64(index))
            guard only == nil || only == index else { continue }
            let numbers = arrangements == 0 ? some(at: index) : Array(0..<arrangements + 2)
            for number in numbers {
                let arrangement: SimulatedDisk.Arrangement =
                    number == 0 ? .synced : number == 1 ? .everything : .torn
                let tree = disk.surviving(arrangement, &random)
                cuts += 1
                var hasher = Hasher()
                tree.hash(into: &hasher)
                hasher.combine(current)
                // The same tree was inspected before.
                guard seen.insert(hasher.finalize()).inserted else {
                    survived += 1
                    continue
                }
                let text = "\(scenario.name) \(seed) \(arrangements) \(index) (\(arrangement))"
                seam_watch(Self.patience, "fault-injection cuts \(text)")
                try tree.write(to: home)
                let inspection = Inspection(home, history[current])
                if inspection.problems.isEmpty { survived += 1 }
                for problem in inspection.problems { Output.say("problem: fault-injection cuts \(text): \(problem)") }
            }
        }
        seam_watch(0, "")
        Output.say(
            "cuts scenario=\(scenario.name) places=\(places) cuts=\(cuts) different=\(seen.count) survived=\(survived) "
                + "seed=\(seed)")
        return cuts == survived
    }

    /// The arrangements after a change where there is no time for all: one of three after every fourth change.
    ///
    /// Twelve seeds in a row give each change all three.
    private func some(at index: Int) -> [Int] {
        let turn = (index + Int(seed % 12)) % 12
        return turn < 3 ? [turn] : []
    }

    /// Runs the scenario, and returns the expectation at each note of the journal.
    private func record(_ expectation: Expectation) throws -> [Expectation] {
        seam_arm(Workplace.home, 0, Int32(SEAM_NONE.rawValue), 0)
        seam_record(1)
        var history: [Expectation] = []
        do {
            let run = ScenarioRun(Workplace.home, expectation, isFailing: false)
            scenario.run(run)
            guard run.problems.isEmpty else { throw Scenario.Unprepared(problems: run.problems) }
            history = run.history
        }
        _ = seam_disarm()
        return history
    }
}
