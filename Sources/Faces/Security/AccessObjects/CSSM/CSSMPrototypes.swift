import ChatelaineModel

/// The validity period of an entry; ignored.
public struct cssm_acl_validity_period {
    public var StartDate: SecAsn1Item
    public var EndDate: SecAsn1Item

    public init() { self.init(StartDate: .init(), EndDate: .init()) }

    public init(StartDate: SecAsn1Item, EndDate: SecAsn1Item) {
        (self.StartDate, self.EndDate) = (StartDate, EndDate)
    }
}

/// The content of an entry.
public struct cssm_acl_entry_prototype {
    public var TypedSubject: CSSM_LIST
    public var Delegate: CSSM_BOOL
    public var Authorization: CSSM_AUTHORIZATIONGROUP
    public var TimeRange: CSSM_ACL_VALIDITY_PERIOD
    public var EntryTag: CSSM_STRING

    public init() {
        self.init(
            TypedSubject: .init(), Delegate: 0, Authorization: .init(), TimeRange: .init(), EntryTag: Self.noTag)
    }

    public init(
        TypedSubject: CSSM_LIST, Delegate: CSSM_BOOL, Authorization: CSSM_AUTHORIZATIONGROUP,
        TimeRange: CSSM_ACL_VALIDITY_PERIOD, EntryTag: CSSM_STRING
    ) {
        (self.TypedSubject, self.Delegate, self.Authorization) = (TypedSubject, Delegate, Authorization)
        (self.TimeRange, self.EntryTag) = (TimeRange, EntryTag)
    }

    private static let noTag: CSSM_STRING = (
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    )
}

/// The owner of an access object.
public struct cssm_acl_owner_prototype {
    public var TypedSubject: CSSM_LIST
    public var Delegate: CSSM_BOOL

    public init() { self.init(TypedSubject: .init(), Delegate: 0) }

    public init(TypedSubject: CSSM_LIST, Delegate: CSSM_BOOL) {
        (self.TypedSubject, self.Delegate) = (TypedSubject, Delegate)
    }
}

/// An entry with its handle.
public struct cssm_acl_entry_info {
    public var EntryPublicInfo: CSSM_ACL_ENTRY_PROTOTYPE
    public var EntryHandle: CSSM_ACL_HANDLE

    public init() { self.init(EntryPublicInfo: .init(), EntryHandle: 0) }

    public init(EntryPublicInfo: CSSM_ACL_ENTRY_PROTOTYPE, EntryHandle: CSSM_ACL_HANDLE) {
        (self.EntryPublicInfo, self.EntryHandle) = (EntryPublicInfo, EntryHandle)
    }
}

/// The conditions for a prompt (`CSSM_ACL_KEYCHAIN_PROMPT_…`).
public struct cssm_acl_keychain_prompt_selector {
    public var version: uint16
    public var flags: uint16

    public init() { self.init(version: 0, flags: 0) }

    public init(version: uint16, flags: uint16) { (self.version, self.flags) = (version, flags) }

    package init(_ selector: PromptSelector) {
        self.init(version: uint16(CSSM_ACL_KEYCHAIN_PROMPT_CURRENT_VERSION), flags: selector.rawValue)
    }
}
