/// The random 16 bytes that name a row for as long as it lives.
public struct ItemIdentifier: Hashable, Sendable {
    public static let byteCount = Bytes16.count

    public let value: Bytes16

    public init(_ value: Bytes16) { self.value = value }

    /// Nil unless there are exactly ``byteCount`` bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes16(bytes) else { return nil }
        self.value = value
    }

    /// Nil unless there are exactly ``byteCount`` bytes.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard let value = Bytes16(bytes) else { return nil }
        self.value = value
    }

    /// A fresh one, from the system's random numbers.
    public init() { value = .random() }

    /// Exactly ``byteCount`` bytes.
    public var bytes: [UInt8] { value.array }
}
