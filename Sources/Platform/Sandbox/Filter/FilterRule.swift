/// The rule for one system call in a profile.
struct FilterRule: Hashable, Sendable {
    let call: SystemCall
    /// Conditions that must all hold for ``verdict``; otherwise ``otherwise`` is the verdict.
    let checks: [ArgumentCheck]
    let verdict: Verdict
    let otherwise: Verdict

    static func allow(_ call: SystemCall) -> FilterRule {
        FilterRule(call: call, checks: [], verdict: .allow, otherwise: .allow)
    }

    static func allow(_ call: SystemCall, if checks: ArgumentCheck..., otherwise: Verdict) -> FilterRule {
        FilterRule(call: call, checks: checks, verdict: .allow, otherwise: otherwise)
    }

    static func always(_ verdict: Verdict, _ call: SystemCall) -> FilterRule {
        FilterRule(call: call, checks: [], verdict: verdict, otherwise: verdict)
    }
}
