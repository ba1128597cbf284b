extension KeychainError {
    /// The kind of a failure, as far as our own code decides by it; one status covers several causes.
    ///
    /// The set is closed: code that decides lists its causes, and a new cause comes with the decision that needs it.
    /// The numbers are on the wire to and from enclaved (`Documentation/formats/enclave-protocol.md`) and never change
    /// meaning.
    package enum Cause: UInt8, Sendable, CaseIterable {
        /// The request is impossible whatever the state of the keychain; the status says why.
        case request = 1
        /// A failure that never happens in sound software: a defect of ours, of a library or of the machine.
        case fault = 2
        /// Something necessary cannot be used, and only a person can tell what to do.
        case unavailable = 3
        /// SQLite reports that the store's database is damaged; disk, memory and permissions are not at fault.
        case damage = 4
        /// A snapshot is damaged, missing or unreadable; we do without it, whatever the disk does later.
        case unusableSnapshot = 5
        /// A lock of the store's database is not available, because another process holds it or the system did not
        /// release ours.
        case busy = 6
        /// The disk is full, or the user's quota is used up.
        case full = 7
        /// The file system, or the file, can be read but not written to.
        case readOnly = 8
        /// The disk reports an error.
        case disk = 9
        /// Memory is exhausted.
        case memory = 10
        /// A file or folder is not there.
        case missing = 11
        /// A file was written by a later version of this software.
        case newerFormat = 12
        /// The keys of a protection class are locked away.
        case locked = 13
        /// A seal does not open with its key in its place, or the keybag has no such key.
        case unsealable = 14
        /// An item with the same unique attributes, or a keychain of the same name, exists.
        case duplicate = 15
        /// No item, program or snapshot matches the request.
        case notFound = 16
        /// The calling program differs from the recorded one: its file has changed.
        case changedProgram = 17
        /// The caller cannot be identified, or has no right to what it asks for.
        case notEntitled = 18
        /// A person has to allow the request first; a caller that can ask one continues after the answer.
        case needsPerson = 19
        /// Only the program may open the keychain's file; it lends the descriptor, and asks again.
        case needsFile = 20
        /// A key was destroyed, and with it what it protected; this differs from ``notFound``.
        case keyDestroyed = 21
        /// A prompt is necessary, but the call forbids it, none can be shown, or the one shown waits no more.
        case cannotAsk = 22
        /// The path leads to another file than at the previous look.
        case exchanged = 23
        /// The key custodian has no such store open.
        case storeNotOpen = 24
        /// The store's database is damaged or missing, and there is nothing to recover it from.
        case unrecoverable = 25

        /// The status that the program gets, unless the code that throws gives a better one.
        package var status: Status {
            switch self {
            case .request, .storeNotOpen: .param
            case .fault: .internalComponent
            case .unavailable, .damage, .unusableSnapshot, .busy, .full, .missing, .newerFormat, .needsFile,
                .unrecoverable:
                .notAvailable
            case .readOnly: .readOnly
            case .disk: .ioError
            case .memory: .allocate
            case .locked, .needsPerson, .cannotAsk: .interactionNotAllowed
            case .exchanged: .invalidKeychain
            case .unsealable: .decode
            case .duplicate: .duplicateItem
            case .notFound, .keyDestroyed: .itemNotFound
            case .changedProgram: .authFailed
            case .notEntitled: .missingEntitlement
            }
        }

        /// The cause of a failure of which only the status is known: the one that claims least.
        package init(of status: Status) {
            self =
                switch status {
                case .param, .noSuchAttribute, .noSuchClass, .dataTooLarge, .unimplemented, .userCanceled,
                    .aclNotSimple, .bufferTooSmall,
                    .invalidOwnerEdit, .invalidACL, .invalidPrefsDomain:
                    .request
                case .internalComponent: .fault
                case .readOnly: .readOnly
                case .ioError: .disk
                case .allocate: .memory
                case .interactionNotAllowed: .cannotAsk
                case .decode: .unsealable
                case .duplicateItem, .duplicateKeychain: .duplicate
                case .itemNotFound, .invalidItemReference: .notFound
                case .missingEntitlement: .notEntitled
                default: .unavailable
                }
        }
    }
}
