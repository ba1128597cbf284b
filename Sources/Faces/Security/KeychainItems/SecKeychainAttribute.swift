import CoreFoundation

// Names, order and size of the fields are those of C, since pointers to them come from there as well.

/// Four characters that name an attribute; those of ``SecItemAttr`` among them.
public typealias SecKeychainAttrType = OSType
public typealias SecKeychainAttributePtr = UnsafeMutablePointer<SecKeychainAttribute>

/// What an AppleShare server once signed itself with.
public typealias SecAFPServerSignature = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)
/// The digest of a public key.
public typealias SecPublicKeyHash = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8, UInt8, UInt8, UInt8
)

/// An attribute of an item, and bytes that are its value.
public struct SecKeychainAttribute {
    public var tag: SecKeychainAttrType
    public var length: UInt32
    public var data: UnsafeMutableRawPointer?

    public init() { self.init(tag: 0, length: 0, data: nil) }

    public init(tag: SecKeychainAttrType, length: UInt32, data: UnsafeMutableRawPointer?) {
        (self.tag, self.length, self.data) = (tag, length, data)
    }
}

/// Attributes of an item.
public struct SecKeychainAttributeList {
    public var count: UInt32
    public var attr: UnsafeMutablePointer<SecKeychainAttribute>?

    public init() { self.init(count: 0, attr: nil) }

    public init(count: UInt32, attr: UnsafeMutablePointer<SecKeychainAttribute>?) {
        (self.count, self.attr) = (count, attr)
    }
}

/// Which attributes are meant, and in which form each one is.
public struct SecKeychainAttributeInfo {
    public var count: UInt32
    public var tag: UnsafeMutablePointer<UInt32>
    public var format: UnsafeMutablePointer<UInt32>?

    public init(count: UInt32, tag: UnsafeMutablePointer<UInt32>, format: UnsafeMutablePointer<UInt32>?) {
        (self.count, self.tag, self.format) = (count, tag, format)
    }
}
