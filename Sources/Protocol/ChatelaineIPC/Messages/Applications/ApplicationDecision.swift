import ChatelaineModel

/// A decision about a program, as `security app list` shows it.
package struct ApplicationDecision: Sendable, Equatable {
    package enum State: UInt8, Sendable {
        /// Known by the digest it had when it first stored something.
        case pinned = 1
        /// Its file has changed since; it reads nothing until it is accepted.
        case changed = 2
        /// Declared as in development: anyone who can write there is the application.
        case development = 3
        /// Nothing stands at its path now.
        case missing = 4
        /// Decided without the passcode that there is, or before new keys: it counts for nothing.
        case unconfirmed = 5
        /// What the program stored before it was signed is its identifier's.
        case adopted = 6
        /// Another file was taken for the program: ``digest`` in place of ``former``.
        case accepted = 7
    }

    package var path: String
    package var state: State
    /// SHA-256 of the executable; empty for development.
    package var digest: [UInt8]
    /// When the decision was made, in seconds since 1 January 2001.
    package var date: Double
    /// What was recorded before the program changed; of that alone.
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
