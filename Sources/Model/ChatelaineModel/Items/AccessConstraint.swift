/// What has to be shown before an operation on an item.
package indirect enum AccessConstraint: Hashable, Sendable {
    case always
    case never
    /// The device owner shows the passcode or an enrolled biometric.
    case userPresence
    case devicePasscode
    /// Any biometric that is enrolled at the time of the operation.
    case biometryAny
    /// A biometric, while the enrolled set is the one of when the item was stored; nil until it is stored.
    case biometryCurrentSet(Bytes16?)
    /// A device nearby.
    case companion
    /// At least this many of these constraints, in the order in which they were made.
    case atLeast(Int, of: [AccessConstraint])

    /// Whether a biometric can satisfy the constraint or a part of it.
    package var asksForBiometric: Bool {
        switch self {
        case .userPresence, .biometryAny, .biometryCurrentSet: true
        case .atLeast(_, let constraints): constraints.contains(where: \.asksForBiometric)
        case .always, .never, .companion, .devicePasscode: false
        }
    }

    /// The constraint without what was filled in when an item was stored.
    package var unbound: AccessConstraint {
        switch self {
        case .biometryCurrentSet: .biometryCurrentSet(nil)
        case .atLeast(let count, let constraints): .atLeast(count, of: constraints.map(\.unbound))
        default: self
        }
    }

    /// The constraints that are no combinations.
    package var leaves: [AccessConstraint] {
        if case .atLeast(_, let constraints) = self { constraints.flatMap(\.leaves) } else { [self] }
    }
}

extension AccessConstraint: CBORValue {
    /// `SecAccessControlCreateWithFlags` combines at most three; the rest is room for later ones.
    package static let maximumCount = 8
    /// The library nests no combinations. This bound also limits the parser's stack for a value from outside.
    package static let maximumDepth = 2

    private enum Kind: UInt8, CBORValue {
        case always = 1
        case never = 2
        case userPresence = 3
        case devicePasscode = 4
        case biometryAny = 5
        case biometryCurrentSet = 6
        case companion = 7
        case atLeast = 8
    }

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .always: encode(.always, to: &writer)
        case .never: encode(.never, to: &writer)
        case .userPresence: encode(.userPresence, to: &writer)
        case .devicePasscode: encode(.devicePasscode, to: &writer)
        case .biometryAny: encode(.biometryAny, to: &writer)
        case .biometryCurrentSet(let set):
            encode(.biometryCurrentSet, with: set == nil ? 0 : 1, to: &writer)
            set?.encode(to: &writer)
        case .companion: encode(.companion, to: &writer)
        case .atLeast(let count, let constraints):
            encode(.atLeast, with: 1 + constraints.count, to: &writer)
            writer.write(UInt64(clamping: count))
            for constraint in constraints { constraint.encode(to: &writer) }
        }
    }

    private func encode(_ kind: Kind, with others: Int = 0, to writer: inout CBORWriter) {
        writer.writeArray(count: 1 + others)
        kind.encode(to: &writer)
    }

    package init(from reader: inout CBORReader) throws(CBORError) { try self.init(from: &reader, depth: 1) }

    private init(from reader: inout CBORReader, depth: Int) throws(CBORError) {
        guard depth <= Self.maximumDepth else { throw .limitExceeded }
        let count = try reader.readArrayCount(limit: 2 + Self.maximumCount)
        guard count > 0 else { throw .missingField }
        let kind = try Kind(from: &reader)
        switch (kind, count) {
        case (.always, 1): self = .always
        case (.never, 1): self = .never
        case (.userPresence, 1): self = .userPresence
        case (.devicePasscode, 1): self = .devicePasscode
        case (.biometryAny, 1): self = .biometryAny
        case (.biometryCurrentSet, 1): self = .biometryCurrentSet(nil)
        case (.biometryCurrentSet, 2): self = .biometryCurrentSet(try Bytes16(from: &reader))
        case (.companion, 1): self = .companion
        case (.atLeast, 3...):
            let wanted = Int(clamping: try reader.readUnsigned())
            var constraints: [AccessConstraint] = []
            for _ in 2..<count { constraints.append(try AccessConstraint(from: &reader, depth: depth + 1)) }
            guard (1...constraints.count).contains(wanted) else { throw .outOfRange }
            self = .atLeast(wanted, of: constraints)
        default: throw .unexpectedType
        }
    }
}
