extension KeychainError {
    /// What failed, as far as something of ours is decided by it; a status alone leaves several of them open.
    ///
    /// The set is closed: whoever decides names the causes that it means, and a new cause comes with the decision that
    /// needs it. The numbers go over the wire to and from enclaved (`Documentation/formats/enclave-protocol.md`) and
    /// never change meaning.
    package enum Cause: UInt8, Sendable, CaseIterable {
        /// What was asked for cannot be, however the keychain is; the status says what is wrong with it.
        case request = 1
        /// Something that never happens: a fault of ours, of the library or of the machine.
        case fault = 2
        /// Something that is needed cannot be used, and only a person can tell what to do.
        case unavailable = 3
        /// SQLite finds the store's database damaged, and not the disk, the memory or the permissions at fault.
        case damage = 4
        /// A snapshot is damaged, missing or none that can be read: it is done without, whatever the disk does later.
        case unusableSnapshot = 5
        /// A lock of the store's database cannot be had: from another process, or because the system failed to release
        /// one of our own.
        case busy = 6
        /// The disk, or the share of it that the user has, is full.
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
        /// An item with the same unique attributes, or a keychain of that name, is there.
        case duplicate = 15
        /// No item, program or snapshot is what was asked for.
        case notFound = 16
        /// The calling program is not the one that is recorded: its file has changed.
        case changedProgram = 17
        /// The caller cannot be identified, or has no right to what it names.
        case notEntitled = 18
        /// A person has to allow it first: whoever can ask one goes on after the answer.
        case needsPerson = 19
        /// A keychain's file lies where only the program may open it: it lends that, and asks again.
        case needsFile = 20
        /// A key was destroyed, and with it what it protected; another thing than one that is looked for and not there.
        case keyDestroyed = 21
        /// A person would have to be asked: the call forbids it, nobody can be, or who was asked waits no more.
        case cannotAsk = 22
        /// Another file stands at a path than the one that was looked at before.
        case exchanged = 23
        /// The key custodian has no such store open.
        case storeNotOpen = 24

        /// What a program is told, unless whoever met the failure knows better.
        package var status: Status {
            switch self {
            case .request, .storeNotOpen: .param
            case .fault: .internalComponent
            case .unavailable, .damage, .unusableSnapshot, .busy, .full, .missing, .newerFormat, .needsFile:
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
