import GRDBSQLite
import Synchronization

/// A flag by which one thread ends what a connection runs on another.
package final class Interruption: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isSet: Bool { flag.load(ordering: .acquiring) }
    package func set() { flag.store(true, ordering: .releasing) }

    /// The object that ``ReadConnection`` gave to SQLite.
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Interruption? {
        // SAFETY: the pointer is of an object that its connection keeps.
        context.map { Unmanaged<Interruption>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension ReadConnection {
    /// Steps of SQLite's machine between two looks at the flag, which are less than a millisecond.
    private static let stepsBetweenLooks: Int32 = 4096

    /// Interrupts whatever the connection runs once the flag is set; that fails then.
    func stop(when interruption: Interruption) {
        interrupter = interruption
        // SAFETY: the connection keeps the object until it is closed, and SQLite calls only while a statement runs.
        sqlite3_progress_handler(
            handle, Self.stepsBetweenLooks, { context in Interruption.from(context)?.isSet == true ? 1 : 0 },
            Unmanaged.passUnretained(interruption).toOpaque())
    }

    /// Lets each statement take that many steps of SQLite's machine in all, however often it is run; a further one
    /// fails, and sets the flag.
    ///
    /// Rows that a statement passes over cost steps, too, though nobody sees them.
    func limit(steps: Int32, setting interruption: Interruption) {
        interrupter = interruption
        // SAFETY: as above. SQLite calls whenever a statement has taken so many steps since it was prepared.
        sqlite3_progress_handler(
            handle, steps,
            { context in
                Interruption.from(context)?.set()
                return 1
            }, Unmanaged.passUnretained(interruption).toOpaque())
    }
}
