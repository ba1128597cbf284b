// The CSSM types that once described access objects. Names, order and size of the fields are C's, since C code passes
// pointers to them.

/// A signed number of 32 bits.
public typealias sint32 = Int32
/// A number of 16 bits.
public typealias uint16 = UInt16
/// A number of 32 bits.
public typealias uint32 = UInt32

/// A truth value: 0 is false, any other value is true.
public typealias CSSM_BOOL = sint32
/// An integer of a pointer's size.
public typealias CSSM_INTPTR = Int
/// A handle.
public typealias CSSM_HANDLE = CSSM_INTPTR
/// The handle of an entry of an access object.
public typealias CSSM_ACL_HANDLE = CSSM_HANDLE
/// A right (`CSSM_ACL_AUTHORIZATION_…`).
public typealias CSSM_ACL_AUTHORIZATION_TAG = sint32
/// The type of a list (`CSSM_LIST_TYPE_…`).
public typealias CSSM_LIST_TYPE = uint32
public typealias CSSM_LIST_TYPE_PTR = UnsafeMutablePointer<uint32>
/// The type of a list element (`CSSM_LIST_ELEMENT_…`).
public typealias CSSM_LIST_ELEMENT_TYPE = uint32
public typealias CSSM_LIST_ELEMENT_TYPE_PTR = UnsafeMutablePointer<uint32>
/// The permitted uses of a key, a bit for each.
public typealias CSSM_KEYUSE = uint32
/// The attributes of a key, a bit for each.
public typealias CSSM_KEYATTR_FLAGS = uint32
/// A word of a list (`CSSM_WORDID_…`), or a number.
public typealias CSSM_WORDID_TYPE = sint32
public typealias CSSM_LIST_ELEMENT_PTR = UnsafeMutablePointer<cssm_list_element>
/// A text of 64 characters, with its zero and padding.
public typealias CSSM_STRING = (
    CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar,
    CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar,
    CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar,
    CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar,
    CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar
)

public typealias SecAsn1Item = cssm_data
public typealias CSSM_LIST = cssm_list
public typealias CSSM_LIST_ELEMENT = cssm_list_element
public typealias CSSM_AUTHORIZATIONGROUP = cssm_authorizationgroup
public typealias CSSM_ACL_VALIDITY_PERIOD = cssm_acl_validity_period
public typealias CSSM_ACL_ENTRY_PROTOTYPE = cssm_acl_entry_prototype
public typealias CSSM_ACL_OWNER_PROTOTYPE = cssm_acl_owner_prototype
public typealias CSSM_ACL_ENTRY_INFO = cssm_acl_entry_info
public typealias CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR = cssm_acl_keychain_prompt_selector

/// The user and group whose processes an entry names: the data of the subject ``CSSM_ACL_SUBJECT_TYPE_PROCESS``.
public struct cssm_acl_process_subject_selector {
    /// ``CSSM_ACL_PROCESS_SELECTOR_CURRENT_VERSION``.
    public var version: uint16
    /// The credentials that must match (`CSSM_ACL_MATCH_…`).
    public var mask: uint16
    public var uid: uint32
    public var gid: uint32

    public init() { self.init(version: 0, mask: 0, uid: 0, gid: 0) }

    public init(version: uint16, mask: uint16, uid: uint32, gid: uint32) {
        (self.version, self.mask, self.uid, self.gid) = (version, mask, uid, gid)
    }
}
public typealias CSSM_ACL_PROCESS_SUBJECT_SELECTOR = cssm_acl_process_subject_selector

@inlinable public var CSSM_ACL_PROCESS_SELECTOR_CURRENT_VERSION: Int { 0x101 }
@inlinable public var CSSM_ACL_MATCH_UID: Int { 1 }
@inlinable public var CSSM_ACL_MATCH_GID: Int { 2 }
@inlinable public var CSSM_ACL_MATCH_BITS: Int { 3 }
@inlinable public var CSSM_ACL_MATCH_HONOR_ROOT: Int { 0x100 }

/// The name of an entry that holds a partition list.
@inlinable public var CSSM_APPLE_ACL_TAG_PARTITION_ID: String { "___PARTITION___" }
/// The name of an entry that holds a digest of the item's attributes.
@inlinable public var CSSM_APPLE_ACL_TAG_INTEGRITY: String { "___INTEGRITY___" }

/// A pointer to bytes, with their number.
public struct cssm_data {
    public var Length: Int
    public var Data: UnsafeMutablePointer<UInt8>?

    public init() { self.init(Length: 0, Data: nil) }

    public init(Length: Int, Data: UnsafeMutablePointer<UInt8>?) { (self.Length, self.Data) = (Length, Data) }
}

/// A linked list of elements.
public struct cssm_list {
    public var ListType: CSSM_LIST_TYPE
    public var Head: CSSM_LIST_ELEMENT_PTR!
    public var Tail: CSSM_LIST_ELEMENT_PTR!

    public init() { self.init(ListType: 0, Head: nil, Tail: nil) }

    public init(ListType: CSSM_LIST_TYPE, Head: CSSM_LIST_ELEMENT_PTR!, Tail: CSSM_LIST_ELEMENT_PTR!) {
        (self.ListType, self.Head, self.Tail) = (ListType, Head, Tail)
    }
}

/// An element of a list: a word, bytes, or a list.
public struct cssm_list_element {
    public var NextElement: UnsafeMutablePointer<cssm_list_element>!
    public var WordID: CSSM_WORDID_TYPE
    public var ElementType: CSSM_LIST_ELEMENT_TYPE
    public var Element: __Unnamed_union_Element

    /// A union of a list and bytes.
    public struct __Unnamed_union_Element {
        // Whole words, since a copy of a structure need not keep the padding between its fields.
        private var words: (UInt, UInt, UInt)

        public init() { words = (0, 0, 0) }

        public init(Sublist: CSSM_LIST) {
            self.init()
            self.Sublist = Sublist
        }

        public init(Word: SecAsn1Item) {
            self.init()
            self.Word = Word
        }

        public var Sublist: CSSM_LIST {
            get {
                CSSM_LIST(
                    ListType: CSSM_LIST_TYPE(truncatingIfNeeded: words.0), Head: .init(bitPattern: words.1),
                    Tail: .init(bitPattern: words.2))
            }
            set {
                words = (UInt(newValue.ListType), UInt(bitPattern: newValue.Head), UInt(bitPattern: newValue.Tail))
            }
        }

        public var Word: SecAsn1Item {
            get { SecAsn1Item(Length: Int(bitPattern: words.0), Data: .init(bitPattern: words.1)) }
            set { (words.0, words.1) = (UInt(bitPattern: newValue.Length), UInt(bitPattern: newValue.Data)) }
        }
    }

    public init() { self.init(NextElement: nil, WordID: 0, ElementType: 0, Element: .init()) }

    public init(
        NextElement: UnsafeMutablePointer<cssm_list_element>!, WordID: CSSM_WORDID_TYPE,
        ElementType: CSSM_LIST_ELEMENT_TYPE, Element: __Unnamed_union_Element
    ) {
        (self.NextElement, self.WordID) = (NextElement, WordID)
        (self.ElementType, self.Element) = (ElementType, Element)
    }
}

/// The rights of an entry.
public struct cssm_authorizationgroup {
    public var NumberOfAuthTags: uint32
    public var AuthTags: UnsafeMutablePointer<CSSM_ACL_AUTHORIZATION_TAG>!

    public init() { self.init(NumberOfAuthTags: 0, AuthTags: nil) }

    public init(NumberOfAuthTags: uint32, AuthTags: UnsafeMutablePointer<CSSM_ACL_AUTHORIZATION_TAG>!) {
        (self.NumberOfAuthTags, self.AuthTags) = (NumberOfAuthTags, AuthTags)
    }
}
