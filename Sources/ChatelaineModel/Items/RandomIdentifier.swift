/// Sixteen random bytes that name one thing of one kind, and never a thing of another.
public protocol RandomIdentifier: Hashable, Sendable {
    var value: Bytes16 { get }
    init(_ value: Bytes16)
}

extension RandomIdentifier {
    @inlinable public static var byteCount: Int { Bytes16.count }

    /// Nil unless there are exactly ``byteCount`` bytes.
    @inlinable
    public init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes16(bytes) else { return nil }
        self.init(value)
    }

    /// Nil unless there are exactly ``byteCount`` bytes.
    @inlinable
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard let value = Bytes16(bytes) else { return nil }
        self.init(value)
    }

    /// A fresh one, from the system's random numbers.
    @inlinable public init() { self.init(.random()) }

    /// Exactly ``byteCount`` bytes.
    @inlinable public var bytes: [UInt8] { value.array }
}

/// Names a row, and so an item, for as long as it lives.
public struct ItemIdentifier: RandomIdentifier {
    public let value: Bytes16
    public init(_ value: Bytes16) { self.value = value }
}

/// Names a store in every seal of its rows.
public struct StoreIdentifier: RandomIdentifier {
    public let value: Bytes16
    public init(_ value: Bytes16) { self.value = value }
}

/// Names the keybag that has a store's class keys.
public struct KeybagIdentifier: RandomIdentifier {
    public let value: Bytes16
    public init(_ value: Bytes16) { self.value = value }
}

/// Names a request that changes items, so that it is carried out once however often it comes.
public struct RequestIdentifier: RandomIdentifier {
    public let value: Bytes16
    public init(_ value: Bytes16) { self.value = value }
}
