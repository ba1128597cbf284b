import CChatelaine
import Glibc

/// A list of allowed system calls, as a program for the kernel's filter (seccomp(2), classic BPF).
///
/// The program compares the most frequent numbers first and finds the others by bisection. Since Linux 5.11 the kernel
/// runs the program once for each number at installation. It remembers calls that are allowed whatever their arguments,
/// and these then cost nothing.
struct SystemCallFilter: Sendable {
    /// The answer to a call that no rule names: as on a kernel without the call, so that libraries use an older one.
    static let unknown = Verdict.refuse(UInt16(ENOSYS))
    /// `BPF_MAXINSNS` of linux/bpf_common.h.
    static let maximumInstructions = 4096

    /// The calls that are compared first, one after the other.
    let frequent: [SystemCall]
    let rules: [FilterRule]
    /// The verdict on a call that no rule names.
    let unlisted: Verdict

    /// - Parameter rules: where two rules concern the same call, the first one holds.
    init(frequent: [SystemCall], rules: [FilterRule], unlisted: Verdict = Self.unknown) {
        self.frequent = frequent
        self.unlisted = unlisted
        var seen: Set<SystemCall> = []
        self.rules = (frequent.map(FilterRule.allow) + rules).filter { seen.insert($0.call).inserted }
    }

    /// The filter's program for a machine.
    func program(for machine: Machine) -> [chatelaine_instruction] {
        var program: [chatelaine_instruction] = [
            .load(.architecture), .jump(.equal, machine.auditArchitecture, 1, 0), .answer(.kill), .load(.number),
        ]
        if let foreign = machine.foreignCalls {
            program += [.jump(.atLeast, foreign, 0, 1), .answer(.kill)]
        }
        for number in frequent.compactMap({ $0.number(on: machine) }) {
            program += [.jump(.equal, number, 0, 1), .answer(.allow)]
        }
        program += bisect(spans(on: machine)[...])
        return program
    }

    /// The numbers from `first` up to the next span's first, which share an outcome.
    private struct Span {
        let first: UInt32
        let outcome: FilterRule?

        func isLike(_ other: Span) -> Bool {
            switch (outcome, other.outcome) {
            case (nil, nil): true
            case (let mine?, let others?):
                mine.checks.isEmpty && others.checks.isEmpty && mine.verdict == others.verdict
            default: false
            }
        }
    }

    private func spans(on machine: Machine) -> [Span] {
        let numbered = rules.compactMap { rule in rule.call.number(on: machine).map { ($0, rule) } }
        var spans = [Span(first: 0, outcome: nil)]
        for (number, rule) in numbered.sorted(by: { $0.0 < $1.0 }) {
            // The span after the last call is empty where this call has the next number.
            if spans.last?.first == number { spans.removeLast() }
            spans.append(Span(first: number, outcome: rule))
            spans.append(Span(first: number + 1, outcome: nil))
        }
        return spans.reduce(into: []) { merged, span in
            guard let last = merged.last, last.isLike(span) else { return merged.append(span) }
        }
    }

    private func bisect(_ spans: ArraySlice<Span>) -> [chatelaine_instruction] {
        guard spans.count > 1 else { return outcome(spans.first?.outcome) }
        let middle = spans.startIndex + spans.count / 2
        let (lower, upper) = (bisect(spans[..<middle]), bisect(spans[middle...]))
        let bound = spans[middle].first
        // A conditional jump reaches 255 instructions; an unconditional jump has no such limit.
        guard let near = UInt8(exactly: lower.count) else {
            return [.jump(.atLeast, bound, 0, 1), .jump(over: lower.count)] + lower + upper
        }
        return [.jump(.atLeast, bound, near, 0)] + lower + upper
    }

    private func outcome(_ rule: FilterRule?) -> [chatelaine_instruction] {
        guard let rule else { return [.answer(unlisted)] }
        let refusal = chatelaine_instruction.answer(rule.otherwise)
        return rule.checks.flatMap { check in check.instructions(else: refusal) } + [.answer(rule.verdict)]
    }
}
