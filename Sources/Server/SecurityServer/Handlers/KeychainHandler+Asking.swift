import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// Requests for which a person gives the password of a file keychain.
///
/// After the wait the request finds the work done.
extension KeychainHandler {
    static func ask(_ question: KeychainQuestion, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let path = try context.services.fileKeychains.path(question.path)
        switch question {
        case .create: try context.askForNewKeychain(at: path)
        case .unlock where path.place == .machine:
            _ = try context.services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                try keychain.unlockByKey()
            }
        case .unlock:
            try context.unlocking(path, .allow) { (keychain) throws(KeychainError) in
                _ = try keychain.keychain.store()
            }
        }
        return NoReply()
    }

    static func settings(
        _ request: ReadKeychainSettings, _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainSettings {
        let path = try context.services.fileKeychains.path(request.path)
        return try context.unlocking(path, request.authenticationUI) { (keychain) throws(KeychainError) in
            try keychain.settings()
        }
    }

    static func setSettings(
        _ request: SetKeychainSettings, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let path = try context.services.fileKeychains.path(request.path)
        try context.unlocking(path, request.authenticationUI) { (keychain) throws(KeychainError) in
            try keychain.setSettings(request.settings)
        }
        context.services.log.notice(
            "the settings of a keychain were set", ["keychain": path.text, "pid": "\(context.slot.pid)"])
        return NoReply()
    }
}

extension KeychainHandler {
    /// Replaces the login keychain by an empty one.
    ///
    /// The former one keeps its content under another name.
    static func reset(
        _ request: ResetKeychains, _ password: GivenKeychainPassword, _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainPlaces {
        let services = context.services
        guard let file = password.files.first else {
            throw KeychainError(.internalComponent, "a password was announced and is not here")
        }
        let path = try services.fileKeychains.path(
            "\(services.deployment.keychainsFolder)/\(KeychainPreferences.loginKeychain)-db")
        // Withdraws the passcode that a login has offered, which must not make a login keychain meanwhile.
        services.loginKeychain.noteLock()
        let former = try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            try keychain.beginAnew(password: file)
        }
        let preferences = services.keychainPreferences
        do throws(KeychainError) {
            try preferences.setSearchList([path.text], of: .user)
            try preferences.setDefaultKeychain(path.text, of: .user)
            try preferences.setLoginKeychain(path.text, of: .user)
        } catch {
            throw error.during("\(path.text) was made, but is not the default")
        }
        services.log.notice(
            "keychains were reset",
            ["keychain": path.text, "former": former ?? "none", "pid": "\(context.slot.pid)"])
        return KeychainPlaces(former.map { [$0] } ?? [])
    }
}

extension RequestContext {
    /// Runs `body` with an unlocked keychain; has a person asked for the password of a locked one.
    fileprivate mutating func unlocking<Answer>(
        _ path: KeychainPath, _ ui: AuthenticationUI, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let (keychains, caller) = (services.fileKeychains, try caller)
        access.neededFile = path.text
        return try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            // Reports a missing keychain as missing, rather than as locked.
            _ = try keychain.state()
            keychain.openByItself()
            do throws(KeychainError) { return try body(keychain) } catch {
                if error.cause == .locked, let refusal = keychain.refusal(isChange: false) { throw refusal }
                guard error.cause == .locked, ui == .allow else { throw error }
                throw access.asking(try PersonQuestion(unlocking: keychain, for: caller, in: keychains))
            }
        }
    }

    /// Has a person asked for the login keychain, since there is no default keychain for a new item; returns the path
    /// of the made keychain.
    ///
    /// Its password is the passcode, where there is one.
    ///
    /// - Throws: `errSecNoDefaultKeychain` where nobody can be asked, or where there is a login keychain that is not
    ///   the default.
    mutating func placeOfFirstItem(_ ui: AuthenticationUI) throws(KeychainError) -> String {
        if let made = access.newKeychain, made.isDone { return made.path.text }
        let (services, pid) = (services, slot.pid)
        let path = try services.loginKeychain.path(services)
        guard path.place == .own, FileIdentity(at: path.text) == nil else {
            throw KeychainError(
                .noDefaultKeychain,
                "there is no default keychain; `security default-keychain -s` with the path of one sets it")
        }
        services.loginKeychain.noteNeed(services)
        guard ui == .allow else {
            throw KeychainError(
                .interactionNotAllowed, "there is no default keychain, and the call forbids to ask for one")
        }
        try services.keychainPreferences.checkRoom(for: path.text)
        let hasPasscode = try services.enclave.passcodeReport(for: .agent, in: try opened.store.identifier).hasPasscode
        let keychains = services.keychains
        let passcode = PasscodeOfStore(enclave: services.enclave) { keychains.default.present?.store }
        let proof = KeychainCreationProof(
            keychains: services.fileKeychains, path: path, passcode: hasPasscode ? passcode : nil
        ) { () throws(KeychainError) in
            try services.loginKeychain.note(new: path, services)
            services.log.notice("a person made the login keychain", ["keychain": path.text, "pid": "\(pid)"])
        }
        access.newKeychain = proof
        throw access.asking(
            PersonQuestion(
                caller: try caller.identity, keychain: keychainSlot.name, subject: NewLoginKeychain(path: path),
                proof: hasPasscode ? .passcode(taking: proof) : .password(isNew: true, taking: proof)))
    }

    /// Has a person asked for the password of a new keychain.
    ///
    /// The answer makes the keychain.
    fileprivate mutating func askForNewKeychain(at path: KeychainPath) throws(KeychainError) {
        if access.newKeychain?.isDone == true { return }
        let (services, pid) = (services, slot.pid)
        // A keychain of the machine has no password that somebody types.
        if path.place == .machine {
            _ = try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                try keychain.requireServed()
                return try keychain.createByKey()
            }
            return
        }
        try services.keychainPreferences.checkRoom(for: path.text)
        access.neededFile = path.text
        let lent = try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            try keychain.requiredFile()
        }
        // The program itself makes the empty file of a keychain elsewhere.
        guard try lent?.size == 0 || lent == nil && FileIdentity(at: path.text) == nil else {
            throw KeychainError(.duplicateKeychain, "there is a file at \(path.text) already; give another name")
        }
        let proof = KeychainCreationProof(keychains: services.fileKeychains, path: path, lent: lent) {
            () throws(KeychainError) in
            try services.keychainPreferences.note(new: path.text)
            services.log.notice("a person made a keychain", ["keychain": path.text, "pid": "\(pid)"])
        }
        access.newKeychain = proof
        throw access.asking(
            PersonQuestion(
                caller: try caller.identity, keychain: keychainSlot.name, subject: NewKeychain(path: path),
                proof: .password(isNew: true, taking: proof)))
    }
}
