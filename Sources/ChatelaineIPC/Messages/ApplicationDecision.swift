import ChatelaineModel

/// A decision about a program, as `security app list` shows it.
public struct ApplicationDecision: Sendable, Equatable {
    public enum State: UInt8, Sendable {
        /// Known by the digest it had when it first stored something.
        case pinned = 1
        /// Its file has changed since; it reads nothing until it is accepted.
        case changed = 2
        /// Declared as in development: anyone who can write there is the application.
        case development = 3
        /// Nothing stands at its path now.
        case missing = 4
    }

    public var path: String
    public var state: State
    /// SHA-256 of the executable; empty for development.
    public var digest: [UInt8]
    /// When the decision was made, in seconds since 1 January 2001.
    public var date: Double

    public init(path: String, state: State, digest: [UInt8], date: Double) {
        self.path = path
        self.state = state
        self.digest = digest
        self.date = date
    }

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 4)
        writer.write(UInt64(0))
        writer.write(path)
        writer.write(UInt64(1))
        writer.write(UInt64(state.rawValue))
        writer.write(UInt64(2))
        writer.write(digest)
        writer.write(UInt64(3))
        writer.write(date)
    }

    /// Throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        var path: String?
        var state: State?
        var digest: [UInt8]?
        var date: Double?
        try reader.readMap(limit: 4) { field, reader in
            switch field {
            case 0: path = try reader.readText()
            case 1: state = try reader.readCase(State.self)
            case 2: digest = try reader.readArray()
            case 3: date = try reader.readDouble()
            default: throw CBORError.unsupported
            }
        }
        guard let path, let state, let digest, let date else { throw CBORError.unexpectedType }
        self.init(path: path, state: state, digest: digest, date: date)
    }
}
