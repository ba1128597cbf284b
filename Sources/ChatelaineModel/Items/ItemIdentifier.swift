/// The random 16 bytes that name a row for as long as it lives.
public struct ItemIdentifier: Hashable, Sendable {
    public static let byteCount = 16

    /// Exactly ``byteCount`` bytes.
    public let bytes: [UInt8]

    /// Nil unless there are exactly ``byteCount`` bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = [UInt8](bytes)
    }

    /// A fresh one, from the system's random numbers.
    public init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
