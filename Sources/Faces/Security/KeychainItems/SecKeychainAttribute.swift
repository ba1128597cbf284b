import CoreFoundation

// Names, order and size of the fields are C's, since C code passes pointers to them.

/// Four characters that name an attribute, such as those of ``SecItemAttr``.
public typealias SecKeychainAttrType = OSType
public typealias SecKeychainAttributePtr = UnsafeMutablePointer<SecKeychainAttribute>

/// The signature of an AppleShare server.
public typealias SecAFPServerSignature = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)
/// The digest of a public key.
public typealias SecPublicKeyHash = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8, UInt8, UInt8, UInt8
)

/// An attribute of an item with the bytes of its value.
public struct SecKeychainAttribute {
    public var tag: SecKeychainAttrType
    public var length: UInt32
    public var data: UnsafeMutableRawPointer?

    public init() { self.init(tag: 0, length: 0, data: nil) }

    public init(tag: SecKeychainAttrType, length: UInt32, data: UnsafeMutableRawPointer?) {
        (self.tag, self.length, self.data) = (tag, length, data)
    }
}

/// A list of attributes of an item.
public struct SecKeychainAttributeList {
    public var count: UInt32
    public var attr: UnsafeMutablePointer<SecKeychainAttribute>?

    public init() { self.init(count: 0, attr: nil) }

    public init(count: UInt32, attr: UnsafeMutablePointer<SecKeychainAttribute>?) {
        (self.count, self.attr) = (count, attr)
    }
}

/// The tags of attributes, and the format of each.
public struct SecKeychainAttributeInfo {
    public var count: UInt32
    public var tag: UnsafeMutablePointer<UInt32>
    public var format: UnsafeMutablePointer<UInt32>?

    public init(count: UInt32, tag: UnsafeMutablePointer<UInt32>, format: UnsafeMutablePointer<UInt32>?) {
        (self.count, self.tag, self.format) = (count, tag, format)
    }
}
