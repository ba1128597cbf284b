import ChatelaineModel

/// The process whose request this thread serves; 0 where securityd acts by itself.
enum Originator {
    @TaskLocal static var pid: Int32 = 0
    /// The connection whose request this thread serves; nil on any other thread.
    ///
    /// What is asked of the key custodian takes places in its name (``ProgramPlaces``).
    @TaskLocal static var slot: ConnectionSlot?

    /// The program of that connection; nil where securityd acts by itself, or for a person.
    static var owner: BudgetOwner? { slot?.owner }

    /// Runs `body` on behalf of no process.
    static func asDaemon(_ body: () -> Void) { $pid.withValue(0, operation: body) }

    /// Runs `body` on behalf of a process, on any thread.
    static func serving<Answer>(
        _ process: Int32, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        try $pid.withValue(process) { Result { () throws(KeychainError) in try body() } }.get()
    }
}
