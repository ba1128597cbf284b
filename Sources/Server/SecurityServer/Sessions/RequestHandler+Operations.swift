import ChatelaineIPC
import ChatelaineModel

extension RequestHandler {
    /// Begins a request with its handler.
    ///
    /// This is the one table of operations and handlers.
    mutating func begin(_ request: RequestReader) throws -> (any PendingRequest)? {
        switch request.operation {
        case .find: try begin(find: request.read())
        case .add: try begin(request.read(), ItemHandler.add)
        case .update: try begin(request.read(), ItemHandler.update)
        case .delete: try begin(request.read(), ItemHandler.delete)
        case .listAll: try begin(request.read(), ItemHandler.listAll)
        case .status: try begin(request.read(), StatusHandler.report)
        case .listApplications, .acceptApplication, .developApplication, .forgetApplication:
            try begin(request.read(), ApplicationHandler.carryOut)
        case .listTeams, .addTeam, .removeTeam: try begin(request.read(), TeamHandler.carryOut)
        case .showApplication: try begin(request.read(), TeamHandler.show)
        case .readEntitlements: try begin(request.read(), TeamHandler.entitlements)
        case .adoptItems, .returnItems: try begin(request.read(), AdoptionHandler.carryOut)
        case .listSnapshots, .takeSnapshot, .restoreSnapshot, .deleteSnapshot, .deleteSnapshots:
            try begin(request.read(), StoreHandler.snapshots)
        case .check: try begin(request.read(), StoreHandler.check)
        case .showLosses, .acknowledgeLosses: try begin(request.read(), StoreHandler.losses)
        case .subscribeToChanges: try begin(request.read(), ChangeHandler.subscribe)
        case .subscribeToKeychainEvents: try begin(request.read(), ChangeHandler.subscribeToKeychainEvents)
        case .deviceState, .lock: try begin(request.read(), DeviceHandler.carryOut)
        case .showSettings, .setIdleTimeout: try begin(request.read(), DeviceHandler.settings)
        case .beginAuthentication: try begin(request.read(), AuthenticationHandler.begin)
        case .authenticationReport: try begin(request.read(), AuthenticationHandler.report)
        case .evaluatePolicy:
            try begin(request.read(EvaluatePolicy.self), AuthenticationHandler.evaluate) { .init($0) }
        case .evaluateAccessControl:
            try begin(request.read(EvaluateAccessControl.self), AuthenticationHandler.evaluate) { .init($0) }
        case .setApplicationPassword: try begin(request.read(), AuthenticationHandler.setPassword)
        case .unlock, .setPasscode, .changePasscode, .removePasscode, .newKeys, .logIn:
            try begin(request.read(), DeviceHandler.present)
        case .createKeychain, .unlockKeychain, .changeKeychainPassword:
            try begin(request.read(), KeychainHandler.present)
        case .resetKeychains: try begin(request.read(), KeychainHandler.reset)
        case .lockKeychain, .lockAllKeychains, .deleteKeychain:
            try begin(aside: request.read(), KeychainHandler.carryOut)
        case .keychainState: try begin(aside: request.read(), KeychainHandler.state)
        case .lendKeychain: try begin(request.read(), LendingHandler.lend)
        case .readKeychainPreference: try begin(aside: request.read(), PreferencesHandler.read)
        case .setKeychainPreference: try begin(aside: request.read(), PreferencesHandler.set)
        case .readKeychainSettings: try begin(aside: request.read(), KeychainHandler.settings)
        case .setKeychainSettings: try begin(aside: request.read(), KeychainHandler.setSettings)
        case .askForNewKeychain, .askToUnlockKeychain: try begin(aside: request.read(), KeychainHandler.ask)
        case .findKeychainItems: try begin(findInKeychains: request.read())
        case .addKeychainItem: try begin(request.read(), KeychainItemHandler.add)
        case .updateKeychainItems: try begin(request.read(), KeychainItemHandler.update)
        case .deleteKeychainItems: try begin(request.read(), KeychainItemHandler.delete)
        case .readItemAccess: try begin(request.read(), KeychainItemHandler.access)
        case .setItemAccess:
            try begin(request.read(SetItemAccess.self), KeychainItemHandler.setAccess)
        case .setItemAccessWithPassword:
            try begin(request.read(SetItemAccessWithPassword.self), KeychainItemHandler.setAccess)
        case .makeKeychainKey: try begin(aside: request.read(), KeychainKeyHandler.make)
        case .useKeychainKey: try begin(request.read(), KeychainKeyHandler.use)
        case .evaluateTrust: try begin(aside: request.read(), TrustHandler.evaluate)
        case .readSystemRoots: try begin(aside: request.read(), TrustHandler.roots)
        case .listTrustSettings, .setTrustSettings, .removeTrustSettings, .removeAllTrustSettings,
            .replaceTrustSettings:
            try begin(request.read(), TrustHandler.carryOut)
        case .readTrustedApplication: try begin(request.read(), TeamHandler.trusted)
        case .readExternalFile: try begin(request.read(), FormatHandler.read)
        case .writeExternalFile: try begin(request.read(), FormatHandler.write)
        case .readCMSMessage: try begin(request.read(), FormatHandler.readMessage)
        case .writeCMSMessage: try begin(request.read(), FormatHandler.writeMessage)
        case .makeKey: try begin(aside: request.read(), KeyHandler.make)
        case .useKey: try begin(request.read(), KeyHandler.use)
        case .makeDetachedKey: try begin(request.read(), KeyHandler.makeDetached)
        case .readDetachedKey: try begin(request.read(), KeyHandler.readDetached)
        case .useDetachedKey: try begin(request.read(), KeyHandler.useDetached)
        case .readCertificates: try begin(aside: request.read(), CertificateHandler.read)
        }
    }

    private mutating func begin(find request: FindItems) throws -> (any PendingRequest)? {
        try begin(search: request, request.query, ItemHandler.find)
    }

    private mutating func begin(findInKeychains request: FindKeychainItems) throws -> (any PendingRequest)? {
        try begin(search: request, request.query, KeychainItemHandler.find)
    }

    /// Begins a search.
    ///
    /// One that judges certificates is slow, and so holds no turn.
    private mutating func begin<Message: RequestMessage>(
        search request: Message, _ query: ItemQuery, _ find: @escaping Handling<Message>
    ) throws -> (any PendingRequest)? {
        guard query.certificateTerms.needVerdict else { return try begin(request, find) }
        return try begin(aside: request) { (request, context) throws(KeychainError) in
            var handler = RequestHandler(context)
            defer { context = handler.context }
            return try handler.tried(request, find).get()
        }
    }
}
