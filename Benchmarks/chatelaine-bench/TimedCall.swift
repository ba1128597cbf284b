/// A call to the keychain that is timed beside a step of the floor. To time another call, add a line below.
struct TimedCall {
    let what: String
    let step: Floor.Step
    /// The maximum time, as a multiple of the floor.
    let atMost: Double
    /// The number of calls; smaller for changes, which wait for the disk.
    var count = Measurements.calls
    /// Prepares the call of a number.
    let prepare: (Workload) -> (Int) -> () throws -> Void

    /// Calls in a store of any size.
    static var lookUps: [TimedCall] {
        [
            TimedCall(what: "look-up with secret, SecItemCopyMatching", step: .secret, atMost: 1.45) { $0.copySecret },
            TimedCall(what: "find by label with secret, SecItemCopyMatching", step: .label, atMost: 1.45) {
                $0.copySecretByLabel
            },
        ]
    }

    /// Calls that take the same time in a larger store.
    static var others: [TimedCall] {
        [
            TimedCall(what: "look-up of attributes, IPC client", step: .attributes, atMost: 1.5) { $0.findAttributes },
            TimedCall(what: "look-up of attributes, SecItemCopyMatching", step: .attributes, atMost: 3.5) {
                $0.copyAttributes
            },
        ]
    }

    /// Calls that change the store, in their order: each uses the items that the call before left.
    static var changes: [TimedCall] {
        [
            TimedCall(what: "add, SecItemAdd", step: .add, atMost: 1.25, count: changeCount) { $0.addThroughSecItem },
            TimedCall(what: "update with secret, SecItemUpdate", step: .update, atMost: 1.25, count: changeCount) {
                $0.update
            },
            TimedCall(what: "delete, SecItemDelete", step: .delete, atMost: 1.25, count: changeCount) { $0.delete },
        ]
    }

    private static let changeCount = 1_000

    func measure(_ workload: Workload, _ floor: FloorClient, _ table: inout Table, suffix: String = "") throws {
        let medians = try Measurements.pair(calls: count, { try floor.step(step) }, prepare(workload))
        table.add(what + suffix, medians.call, floor: medians.floor, atMost: atMost)
    }
}
