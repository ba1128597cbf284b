import CoreFoundation

// Attributes of keys of file keychains, as the calls of `SecKeychainItem` and `SecKeychainSearch` name them.

@inlinable public var kSecKeyKeyClass: Int32 { 0 }
@inlinable public var kSecKeyPrintName: Int32 { 1 }
@inlinable public var kSecKeyAlias: Int32 { 2 }
@inlinable public var kSecKeyPermanent: Int32 { 3 }
@inlinable public var kSecKeyPrivate: Int32 { 4 }
@inlinable public var kSecKeyModifiable: Int32 { 5 }
@inlinable public var kSecKeyLabel: Int32 { 6 }
@inlinable public var kSecKeyApplicationTag: Int32 { 7 }
@inlinable public var kSecKeyKeyCreator: Int32 { 8 }
@inlinable public var kSecKeyKeyType: Int32 { 9 }
@inlinable public var kSecKeyKeySizeInBits: Int32 { 10 }
@inlinable public var kSecKeyEffectiveKeySize: Int32 { 11 }
@inlinable public var kSecKeyStartDate: Int32 { 12 }
@inlinable public var kSecKeyEndDate: Int32 { 13 }
@inlinable public var kSecKeySensitive: Int32 { 14 }
@inlinable public var kSecKeyAlwaysSensitive: Int32 { 15 }
@inlinable public var kSecKeyExtractable: Int32 { 16 }
@inlinable public var kSecKeyNeverExtractable: Int32 { 17 }
@inlinable public var kSecKeyEncrypt: Int32 { 18 }
@inlinable public var kSecKeyDecrypt: Int32 { 19 }
@inlinable public var kSecKeyDerive: Int32 { 20 }
@inlinable public var kSecKeySign: Int32 { 21 }
@inlinable public var kSecKeyVerify: Int32 { 22 }
@inlinable public var kSecKeySignRecover: Int32 { 23 }
@inlinable public var kSecKeyVerifyRecover: Int32 { 24 }
@inlinable public var kSecKeyWrap: Int32 { 25 }
@inlinable public var kSecKeyUnwrap: Int32 { 26 }
