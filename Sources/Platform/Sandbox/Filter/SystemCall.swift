/// A system call with its name and its number on each known machine.
///
/// Each build has the numbers of both machines, so that the filters of both can be tested on either.
struct SystemCall: Hashable, Sendable {
    let name: String
    /// nil where the machine has no such call; its C library then uses another call.
    private let x86: UInt32?
    private let arm: UInt32?

    init(_ name: String, x86: UInt32?, arm: UInt32?) {
        self.name = name
        self.x86 = x86
        self.arm = arm
    }

    func number(on machine: Machine) -> UInt32? {
        switch machine {
        case .x86: x86
        case .arm: arm
        }
    }

    /// The name of a call number on this machine, for people.
    static func name(of number: Int32) -> String {
        guard number >= 0, let machine = Machine.current else { return "call \(number)" }
        return all.first { $0.number(on: machine) == UInt32(number) }?.name ?? "call \(number)"
    }
}
