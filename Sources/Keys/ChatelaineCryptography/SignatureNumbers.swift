import ChatelaineModel

/// The two numbers of an EC signature, without leading zeros.
struct SignatureNumbers {
    private static let (sequence, integer) = (UInt8(0x30), UInt8(0x02))
    /// The length byte for lengths of 128 to 255, as two numbers of P-521 have.
    private static let longLength = UInt8(0x81)

    private let numbers: [ArraySlice<UInt8>]

    /// Parses the DER that libcrypto made.
    init(der: [UInt8]) throws(KeychainError) {
        var rest = der[...]
        var numbers: [ArraySlice<UInt8>] = []
        guard rest.popFirst() == Self.sequence, Self.length(&rest) == rest.count else { throw Self.unreadable }
        for _ in 0..<2 {
            guard rest.popFirst() == Self.integer, let count = Self.length(&rest), count <= rest.count else {
                throw Self.unreadable
            }
            numbers.append(rest.prefix(count).drop { $0 == 0 })
            rest = rest.dropFirst(count)
        }
        self.numbers = numbers
    }

    /// Nil unless the length is twice the width.
    init?(sideBySide bytes: [UInt8], width: Int) {
        guard bytes.count == 2 * width else { return nil }
        numbers = [bytes[..<width].drop { $0 == 0 }, bytes[width...].drop { $0 == 0 }]
    }

    func sideBySide(width: Int) -> [UInt8] {
        numbers.flatMap { [UInt8](repeating: 0, count: max(0, width - $0.count)) + $0 }
    }

    var der: [UInt8] {
        let encoded = numbers.flatMap { number -> [UInt8] in
            // A leading zero keeps the number positive, and non-empty.
            let needsZero = number.first.map { $0 >= 0x80 } ?? true
            let bytes = (needsZero ? [0] : []) + number
            return [Self.integer, UInt8(bytes.count)] + bytes
        }
        let length = encoded.count < 0x80 ? [UInt8(encoded.count)] : [Self.longLength, UInt8(encoded.count)]
        return [Self.sequence] + length + encoded
    }

    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        if first == longLength { return rest.popFirst().map(Int.init) }
        return first < 0x80 ? Int(first) : nil
    }

    private static var unreadable: KeychainError {
        KeychainError(.internalComponent, "libcrypto made a signature that is none")
    }
}
