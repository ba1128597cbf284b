import CChatelaine
import Foundation
import Testing

@testable import Sandbox

/// The filter programs decide as they should, run by an interpreter of this test for both kinds of processor.
@Suite struct FilterTests {
    /// Runs classic BPF as far as filters use it, and returns nil for a program that leaves its bounds.
    private func run(_ program: [chatelaine_instruction], _ data: [UInt32]) -> UInt32? {
        var (position, accumulator) = (0, UInt32(0))
        while program.indices.contains(position) {
            let instruction = program[position]
            position += 1
            switch instruction.code {
            case 0x20:
                guard instruction.constant % 4 == 0, data.indices.contains(Int(instruction.constant / 4)) else {
                    return nil
                }
                accumulator = data[Int(instruction.constant / 4)]
            case 0x54: accumulator &= instruction.constant
            case 0x05: position += Int(instruction.constant)
            case 0x15:
                position += Int(
                    accumulator == instruction.constant ? instruction.jump_true : instruction.jump_false)
            case 0x35:
                position += Int(
                    accumulator >= instruction.constant ? instruction.jump_true : instruction.jump_false)
            case 0x06: return instruction.constant
            default: return nil
            }
        }
        return nil
    }

    private func ask(
        _ filter: SystemCallFilter, _ machine: Machine, _ number: UInt32, _ arguments: [UInt64] = []
    ) -> UInt32? { ask(filter.program(for: machine), machine, number, arguments) }

    private func ask(
        _ program: [chatelaine_instruction], _ machine: Machine, _ number: UInt32, _ arguments: [UInt64] = []
    ) -> UInt32? {
        let padded = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
        let words = padded.flatMap { [UInt32(truncatingIfNeeded: $0), UInt32($0 >> 32)] }
        return run(program, [number, machine.auditArchitecture, 0, 0] + words)
    }

    private static let filters = [
        Confinement.custodian(stateFolder: "/x").filter,
        Confinement.daemon(folders: [], reachesAbstractSockets: false).filter,
        Confinement.spawner(programs: ["/x"], loader: nil).filter,
        Confinement.spawner(programs: ["/x"], loader: nil, reachesNetwork: true).filter,
        Confinement.procReader().filter,
        Confinement.procHelperSupervisor().filter, Confinement.dialogs().filter, Confinement.agent().filter,
        Confinement.forkServer().filter, Confinement.forkedWorker().filter,
        Confinement.forkServer().filter.narrowing(to: Confinement.forkedWorker().filter),
        Confinement.fetches().filter,
    ]

    @Test(arguments: Machine.allCases)
    func everyNumberHasTheVerdictOfItsRule(_ machine: Machine) {
        for filter in Self.filters {
            let rules = Dictionary(
                filter.rules.compactMap { rule in rule.call.number(on: machine).map { ($0, rule) } }
            ) { first, _ in first }
            let program = filter.program(for: machine)
            #expect(program.count < 1000)
            for number in UInt32(0)...600 {
                let rule = rules[number]
                guard rule?.checks.isEmpty ?? true else { continue }
                let expected = (rule?.verdict ?? filter.unlisted).returnValue
                #expect(ask(program, machine, number) == expected, "call \(number)")
            }
        }
    }

    @Test(arguments: Machine.allCases)
    func argumentsAreChecked(_ machine: Machine) throws {
        let filter = Self.filters[0]
        let mmap = try #require(SystemCall.mmap.number(on: machine))
        #expect(ask(filter, machine, mmap, [0, 4096, 3]) == Verdict.allow.returnValue)
        #expect(ask(filter, machine, mmap, [0, 4096, 5]) == Verdict.refuse(UInt16(EACCES)).returnValue)
        let prlimit = try #require(SystemCall.prlimit64.number(on: machine))
        #expect(ask(filter, machine, prlimit, [0, 4, 0]) == Verdict.allow.returnValue)
        for pointer in [1, 1 << 32] as [UInt64] {
            #expect(ask(filter, machine, prlimit, [0, 4, pointer]) == Verdict.refuse(UInt16(EPERM)).returnValue)
        }
        let clone = try #require(SystemCall.clone.number(on: machine))
        // A thread as the C library makes it, the same in a user namespace, and a process.
        #expect(ask(filter, machine, clone, [0x3D0F00]) == Verdict.allow.returnValue)
        #expect(ask(filter, machine, clone, [0x103D_0F00]) == Verdict.refuse(UInt16(EPERM)).returnValue)
        #expect(ask(filter, machine, clone, [17]) == Verdict.refuse(UInt16(EPERM)).returnValue)
        let fcntl = try #require(SystemCall.fcntl.number(on: machine))
        for command in [0, 5, 7, 1030] as [UInt64] {
            #expect(ask(filter, machine, fcntl, [0, command]) == Verdict.allow.returnValue)
        }
        for command in [8, 10, 1024] as [UInt64] {
            #expect(ask(filter, machine, fcntl, [0, command]) == Verdict.refuse(UInt16(EPERM)).returnValue)
        }
    }

    @Test func otherMachinesAndInterfacesEndTheProcess() {
        for filter in Self.filters {
            for machine in Machine.allCases {
                let program = filter.program(for: machine)
                // i386 has other numbers for the same calls.
                #expect(
                    run(program, [20, 0x4000_0003] + [UInt32](repeating: 0, count: 14)) == Verdict.kill.returnValue)
            }
            #expect(ask(filter, .x86, 0x4000_0000) == Verdict.kill.returnValue)
            #expect(ask(filter, .x86, 0x3FFF_FFFF) == filter.unlisted.returnValue)
        }
    }

    /// The kernel's combination of a filter and an older one: the stricter answer, or the newer of two equally strict
    /// answers.
    private func both(_ newer: UInt32?, _ older: UInt32?) -> UInt32? {
        guard let newer, let older else { return nil }
        func action(_ answer: UInt32) -> Int32 { Int32(bitPattern: answer & 0xFFFF_0000) }
        return action(older) < action(newer) ? older : newer
    }

    /// A worker adds a few instructions to its inherited filter.
    ///
    /// Together they allow exactly what its full filter allows.
    @Test(arguments: Machine.allCases)
    func whatIsPutOverAnInheritedFilterIsAsStrictAsAllOfIt(_ machine: Machine) {
        let inherited = Confinement.forkServer().filter
        let all = Confinement.forkedWorker().filter
        let narrowing = inherited.narrowing(to: all)
        let programs = [inherited, all, narrowing].map { $0.program(for: machine) }
        #expect(programs[2].count < programs[1].count / 4, "\(programs.map(\.count))")
        let values: [UInt64] = [
            0, 1, 2, 3, 4, 9, 15, 17, 22, 1030, 0x3D0F00, 0x103D_0F00, UInt64(getpid()), 1 << 32, .max,
        ]
        let samples = values.flatMap { value in
            [[UInt64](repeating: value, count: 6)]
                + (0..<4).map { place in (0..<6).map { $0 == place ? value : 0 } }
        }
        for number in UInt32(0)...600 {
            for arguments in samples {
                let answers = programs.map { ask($0, machine, number, arguments) }
                #expect(
                    both(answers[2], answers[0]) == both(answers[1], answers[0]), "call \(number) with \(arguments)")
            }
        }
    }

    @Test func aFilterThatRefusesWhatItDoesNotNameIsNotNarrowedToOneThatDoesNot() {
        let open = Confinement.dialogs().filter
        #expect(Confinement.forkServer().filter.narrowing(to: open).rules == open.rules)
        #expect(open.narrowing(to: Confinement.forkServer().filter).unlisted == SystemCallFilter.unknown)
    }

    /// The number of a thread may belong to the fork server, and a worker must signal nobody.
    @Test func workersSendNoSignals() throws {
        let inherited = Confinement.forkServer().filter
        let filters = [Confinement.forkedWorker().filter, inherited.narrowing(to: Confinement.forkedWorker().filter)]
        for machine in Machine.allCases {
            let number = try #require(SystemCall.tgkill.number(on: machine))
            for filter in filters {
                #expect(
                    ask(filter, machine, number, [UInt64(getpid())]) == Verdict.refuse(UInt16(EPERM)).returnValue)
            }
        }
    }

    /// Every jump of a program stays within its bounds.
    @Test func programsEnd() {
        for filter in Self.filters {
            for machine in Machine.allCases {
                let program = filter.program(for: machine)
                for (index, instruction) in program.enumerated() {
                    let longest =
                        instruction.code == 0x05
                        ? Int(instruction.constant) : Int(max(instruction.jump_true, instruction.jump_false))
                    #expect(index + 1 + longest <= program.count)
                }
                #expect(program.last?.code == 0x06)
            }
        }
    }

    @Test(arguments: [
        (Machine.x86, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        (Machine.arm, "/usr/include/asm-generic/unistd.h"),
    ])
    func numbersAreTheKernels(_ machine: Machine, _ header: String) throws {
        guard let text = try? String(contentsOfFile: header, encoding: .utf8) else {
            try Test.cancel("optional: \(header) is not here")
        }
        var numbers: [String: UInt32] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count > 2, words[0] == "#define", let number = UInt32(words[2]) else { continue }
            // The header first calls a width-dependent call __NR3264.
            for prefix in ["__NR_", "__NR3264_"] where words[1].hasPrefix(prefix) {
                numbers[String(words[1].dropFirst(prefix.count))] = number
            }
        }
        // On ARM the header calls newfstatat fstatat.
        if machine == .arm { numbers["newfstatat"] = numbers["fstatat"] }
        for call in SystemCall.all {
            #expect(call.number(on: machine) == numbers[call.name], "\(call.name)")
        }
        #expect(Set(SystemCall.all.map(\.name)).count == SystemCall.all.count)
    }
}
