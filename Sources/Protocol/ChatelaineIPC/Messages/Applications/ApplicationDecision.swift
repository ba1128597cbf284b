import ChatelaineModel

/// A decision about a program, as `security app list` shows it.
package struct ApplicationDecision: Sendable, Equatable {
    package enum State: UInt8, Sendable {
        /// The program is known by the digest that it had when it first stored something.
        case pinned = 1
        /// The program's file has changed since; the program reads nothing until it is accepted.
        case changed = 2
        /// The program is declared as in development: anyone who can write to its path is the application.
        case development = 3
        /// No file is at the path now.
        case missing = 4
        /// The decision was made without the passcode, or before new keys: it has no effect.
        case unconfirmed = 5
        /// What the program stored before it was signed belongs to its identifier now.
        case adopted = 6
        /// A person accepted another file for the program: ``digest`` in place of ``former``.
        case accepted = 7
    }

    package var path: String
    package var state: State
    /// SHA-256 of the executable; empty for development.
    package var digest: [UInt8]
    /// When the decision was made, in seconds since 1 January 2001.
    package var date: Double
    /// The digest before the program changed; only for a changed or accepted program.
    package var former: [UInt8]?

    package init(path: String, state: State, digest: [UInt8], date: Double) {
        self.path = path
        self.state = state
        self.digest = digest
        self.date = date
    }
}

extension ApplicationDecision.State: CBORValue {}

extension ApplicationDecision: CBORValue {
    private enum Field: UInt64, CBORField {
        case path = 0
        case state = 1
        case digest = 2
        case date = 3
        case former = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.path, path)
            $0.write(Field.state, state)
            $0.write(Field.digest, digest)
            $0.write(Field.date, date)
            $0.write(Field.former, former)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            path: try map.read(Field.path), state: try map.read(Field.state), digest: try map.read(Field.digest),
            date: try map.read(Field.date))
        former = try map.readIfPresent(Field.former)
        reader = try map.end()
    }
}
