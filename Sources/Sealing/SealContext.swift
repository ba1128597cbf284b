import ChatelaineModel

/// What a seal is bound to: purpose, key and place, whose deterministic CBOR becomes its associated data.
///
/// Format: `Documentation/formats/seals.md`.
public struct SealContext: Sendable {
    /// Version of the associated data's layout.
    static let format: UInt64 = 1

    private enum Place: Sendable {
        case row(RowContext)
        case keybag(KeybagIdentifier, Accessibility)
        case store(StoreIdentifier)
    }

    private let purpose: SealPurpose
    private let keyID: UInt32
    private let place: Place

    /// For the seals and the wrapped key of a row.
    public init(_ purpose: SealPurpose, keyID: UInt32, row: RowContext) {
        self.purpose = purpose
        self.keyID = keyID
        place = .row(row)
    }

    /// For the keys of a keybag.
    public init(_ purpose: SealPurpose, keyID: UInt32, keybag: KeybagIdentifier, accessibility: Accessibility) {
        self.purpose = purpose
        self.keyID = keyID
        place = .keybag(keybag, accessibility)
    }

    /// For what is one of a kind in a store, under a key of its own.
    public init(_ purpose: SealPurpose, store: StoreIdentifier) {
        self.purpose = purpose
        keyID = 0
        place = .store(store)
    }

    /// The associated data, lent.
    func withAssociatedData<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: Self.maximumBytes, alignment: 1) { buffer in
            var writer = Writer(buffer)
            switch place {
            case .row(let row):
                begin(&writer, pairs: 10, row.store)
                writer.write(4, row.row.value)
                writer.write(5, row.version)
                writer.write(6, UInt64(row.itemClass.rawValue))
                writer.write(7, UInt64(row.accessibility.rawValue))
                writer.write(8, (row.isSynchronizable ? 1 : 0) | (row.isTombstone ? 2 : 0))
                writer.write(9, row.groupDigest)
            case .keybag(let keybag, let accessibility):
                begin(&writer, pairs: 5, keybag)
                writer.write(7, UInt64(accessibility.rawValue))
            case .store(let store): begin(&writer, pairs: 4, store)
            }
            return try body(writer.written)
        }
    }

    private func begin(_ writer: inout Writer, pairs: UInt8, _ owner: some RandomIdentifier) {
        writer.beginMap(pairs: pairs)
        writer.write(0, Self.format)
        writer.write(1, purpose.rawValue)
        writer.write(2, owner.value)
        writer.write(3, UInt64(keyID))
    }
}

extension SealContext {
    /// Ten keys of one byte, three strings of 17 bytes, seven numbers of 9 at most, and the head.
    private static let maximumBytes = 1 + 10 + 3 * 17 + 7 * 9

    /// The deterministic CBOR of numbers and identifiers, into memory that is no secret and long enough.
    private struct Writer {
        private let buffer: UnsafeMutableRawBufferPointer
        private var count = 0

        init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

        var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

        mutating func beginMap(pairs: UInt8) { append(0xA0 | pairs) }

        mutating func write(_ key: UInt8, _ number: UInt64) {
            append(key)
            switch number {
            case 0..<24: append(UInt8(number))
            case ...0xFF: append(0x18, number, width: 1)
            case ...0xFFFF: append(0x19, number, width: 2)
            case ...0xFFFF_FFFF: append(0x1A, number, width: 4)
            default: append(0x1B, number, width: 8)
            }
        }

        mutating func write(_ key: UInt8, _ bytes: Bytes16) {
            append(key)
            append(0x40 | UInt8(Bytes16.count))
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[count..<(count + Bytes16.count)]).copyMemory(from: $0)
            }
            count += Bytes16.count
        }

        private mutating func append(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }

        private mutating func append(_ head: UInt8, _ number: UInt64, width: Int) {
            append(head)
            for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - 1 - index)))) }
        }
    }
}
