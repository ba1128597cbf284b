import ChatelaineModel

/// Every kind of request with its number on the wire, in one table (`Documentation/formats/wire.md`).
///
/// A number never changes meaning. A new request takes a case here and its type in ``message``. In securityd the
/// handler that carries it out lists it among its routes.
package enum Operation: UInt8, CBORValue, CaseIterable, Sendable {
    // Items
    case find = 1
    case add = 2
    case update = 3
    case delete = 4
    case listAll = 5
    // Status
    case status = 16
    // Applications
    case listApplications = 17
    case acceptApplication = 18
    case developApplication = 19
    case forgetApplication = 20
    case listTeams = 21
    case addTeam = 22
    case removeTeam = 23
    case showApplication = 24
    case adoptItems = 25
    case returnItems = 26
    case readEntitlements = 27
    // Store
    case listSnapshots = 32
    case takeSnapshot = 33
    case restoreSnapshot = 34
    case deleteSnapshot = 35
    case deleteSnapshots = 36
    case check = 37
    case showLosses = 38
    case acknowledgeLosses = 39
    // Changes
    case subscribeToChanges = 48
    case subscribeToKeychainEvents = 49
    // Device
    case deviceState = 64
    case lock = 65
    case unlock = 66
    case setPasscode = 67
    case changePasscode = 68
    case removePasscode = 69
    case newKeys = 70
    case showSettings = 71
    case setIdleTimeout = 72
    case logIn = 73
    // Authentication
    case beginAuthentication = 80
    case authenticationReport = 81
    case evaluatePolicy = 82
    case evaluateAccessControl = 83
    case setApplicationPassword = 84
    // Keychains
    case createKeychain = 96
    case unlockKeychain = 97
    case changeKeychainPassword = 98
    case lockKeychain = 99
    case lockAllKeychains = 100
    case deleteKeychain = 101
    case keychainState = 102
    case readKeychainPreference = 103
    case setKeychainPreference = 104
    case readKeychainSettings = 105
    case setKeychainSettings = 106
    case readTrustedApplication = 107
    case lendKeychain = 108
    case askForNewKeychain = 109
    case askToUnlockKeychain = 110
    case resetKeychains = 111
    // Items of file keychains
    case findKeychainItems = 112
    case addKeychainItem = 113
    case updateKeychainItems = 114
    case deleteKeychainItems = 115
    case readItemAccess = 116
    case setItemAccess = 117
    case setItemAccessWithPassword = 118
    case makeKeychainKey = 119
    case useKeychainKey = 120
    // Private keys
    case makeKey = 128
    case useKey = 129
    case makeDetachedKey = 130
    case readDetachedKey = 131
    case useDetachedKey = 132
    // Certificates
    case readCertificates = 144
    // Trust
    case evaluateTrust = 160
    case readSystemRoots = 161
    case listTrustSettings = 162
    case setTrustSettings = 163
    case removeTrustSettings = 164
    case removeAllTrustSettings = 165
    case replaceTrustSettings = 166
    // Files of keys and certificates
    case readExternalFile = 176
    case writeExternalFile = 177
    case readCMSMessage = 178
    case writeCMSMessage = 179

    /// The type of the request that has this number.
    package var message: any RequestMessage.Type {
        switch self {
        case .find: FindItems.self
        case .add: AddItem.self
        case .update: UpdateItems.self
        case .delete: DeleteItems.self
        case .listAll: ListAllItems.self
        case .status: ReadStatus.self
        case .listApplications, .acceptApplication, .developApplication, .forgetApplication:
            PasscodeProtected<ApplicationCommand>.self
        case .listTeams, .addTeam, .removeTeam: PasscodeProtected<TeamCommand>.self
        case .showApplication: ShowApplication.self
        case .adoptItems, .returnItems: PasscodeProtected<AdoptItems>.self
        case .readEntitlements: ReadEntitlements.self
        case .listSnapshots, .takeSnapshot, .restoreSnapshot, .deleteSnapshot, .deleteSnapshots:
            PasscodeProtected<SnapshotCommand>.self
        case .check: CheckStore.self
        case .showLosses, .acknowledgeLosses: LossCommand.self
        case .subscribeToChanges: SubscribeToChanges.self
        case .subscribeToKeychainEvents: SubscribeToKeychainEvents.self
        case .deviceState, .lock: DeviceCommand.self
        case .unlock, .setPasscode, .changePasscode, .removePasscode, .newKeys, .logIn: PasscodeCommand.self
        case .showSettings, .setIdleTimeout: PasscodeProtected<SettingsCommand>.self
        case .beginAuthentication: BeginAuthentication.self
        case .authenticationReport: ReadAuthentication.self
        case .evaluatePolicy: EvaluatePolicy.self
        case .evaluateAccessControl: EvaluateAccessControl.self
        case .setApplicationPassword: SetApplicationPassword.self
        case .createKeychain, .unlockKeychain, .changeKeychainPassword: KeychainPasswordCommand.self
        case .lockKeychain, .lockAllKeychains, .deleteKeychain: KeychainCommand.self
        case .keychainState: ReadKeychainState.self
        case .readKeychainPreference: ReadKeychainPreference.self
        case .setKeychainPreference: SetKeychainPreference.self
        case .readKeychainSettings: ReadKeychainSettings.self
        case .setKeychainSettings: SetKeychainSettings.self
        case .readTrustedApplication: ReadTrustedApplication.self
        case .lendKeychain: LendKeychain.self
        case .askForNewKeychain, .askToUnlockKeychain: KeychainQuestion.self
        case .resetKeychains: ResetKeychains.self
        case .findKeychainItems: FindKeychainItems.self
        case .addKeychainItem: AddKeychainItem.self
        case .updateKeychainItems: UpdateKeychainItems.self
        case .deleteKeychainItems: DeleteKeychainItems.self
        case .readItemAccess: ReadItemAccess.self
        case .setItemAccess: SetItemAccess.self
        case .setItemAccessWithPassword: SetItemAccessWithPassword.self
        case .makeKeychainKey: MakeKeychainKey.self
        case .useKeychainKey: UseKeychainKey.self
        case .makeKey: MakeKey.self
        case .useKey: UseKey.self
        case .makeDetachedKey: MakeDetachedKey.self
        case .readDetachedKey: ReadDetachedKey.self
        case .useDetachedKey: UseDetachedKey.self
        case .readCertificates: ReadCertificates.self
        case .evaluateTrust: EvaluateTrust.self
        case .readSystemRoots: ReadSystemRoots.self
        case .listTrustSettings, .setTrustSettings, .removeTrustSettings, .removeAllTrustSettings,
            .replaceTrustSettings:
            PasscodeProtected<TrustSettingsCommand>.self
        case .readExternalFile: ReadExternalFile.self
        case .writeExternalFile: WriteExternalFile.self
        case .readCMSMessage: ReadCMSMessage.self
        case .writeCMSMessage: WriteCMSMessage.self
        }
    }
}
