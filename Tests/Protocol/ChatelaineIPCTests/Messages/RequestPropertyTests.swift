import ChatelaineIPC
import Testing

/// Tests of the properties of each kind of request.
///
/// The tables below name all kinds, so that a new kind has to be added to one.
@Suite struct RequestPropertyTests {
    /// The table has each operation, and each request has the properties that the daemon needs.
    @Test func everyOperationHasItsMessage() {
        let requests = RequestTests.requests
        #expect(Set(requests.map(\.operation)) == Set(Operation.allCases))
        for request in requests {
            #expect(type(of: request) == request.operation.message)
            #expect(type(of: request).isChange == (request is any ChangeMessage))
            #expect(!type(of: request).name.isEmpty)
        }
    }

    /// A changed program changes no items except in file keychains, where the item's access object recognizes the
    /// change.
    @Test func whoChangesItemsIsAdmitted() {
        let ofFileKeychains: Set<Operation> = [
            .addKeychainItem, .updateKeychainItems, .deleteKeychainItems, .setItemAccess, .setItemAccessWithPassword,
            .makeKeychainKey,
        ]
        for request in RequestTests.requests where type(of: request).isChange {
            let needs = type(of: request).needs
            #expect(
                (needs == .admittedCaller) != ofFileKeychains.contains(request.operation), "\(request.operation)")
        }
    }

    /// Each kind of work has a limit for the client's connections and for the daemon's concurrent requests.
    @Test func whatProcessesDoForThem() {
        for request in RequestTests.requests {
            #expect(Self.work(for: request.operation).contains(request.work), "\(request.operation)")
        }
    }

    private static func work(for operation: Operation) -> Set<RequestWork> {
        switch operation {
        // Certificates are evaluated if the query says so.
        case .find, .findKeychainItems: [.none, .longest]
        case .makeKey, .makeKeychainKey: [.longest]
        case .evaluateTrust: [.long]
        case .readSystemRoots, .readCertificates: [.brief]
        // The program's own turn covers the workers of formatd and keyd.
        case .readExternalFile, .writeExternalFile, .readCMSMessage, .writeCMSMessage, .useKey, .useKeychainKey,
            .makeDetachedKey, .readDetachedKey, .useDetachedKey:
            [.none]
        case .add, .update, .delete, .listAll, .status, .listApplications, .acceptApplication, .developApplication,
            .forgetApplication, .listTeams, .addTeam, .removeTeam, .showApplication, .adoptItems, .returnItems,
            .readEntitlements, .listSnapshots, .takeSnapshot, .restoreSnapshot, .deleteSnapshot, .deleteSnapshots,
            .check, .showLosses, .acknowledgeLosses, .subscribeToChanges, .subscribeToKeychainEvents, .deviceState,
            .lock, .unlock, .setPasscode, .changePasscode, .removePasscode, .newKeys, .showSettings, .setIdleTimeout,
            .logIn, .beginAuthentication, .authenticationReport, .evaluatePolicy, .evaluateAccessControl,
            .setApplicationPassword, .createKeychain, .unlockKeychain, .changeKeychainPassword, .lockKeychain,
            .lockAllKeychains, .deleteKeychain, .keychainState, .readKeychainPreference, .setKeychainPreference,
            .readKeychainSettings, .setKeychainSettings, .lendKeychain, .askForNewKeychain, .askToUnlockKeychain,
            .resetKeychains, .addKeychainItem, .updateKeychainItems, .deleteKeychainItems, .readItemAccess,
            .setItemAccess, .setItemAccessWithPassword, .listTrustSettings, .setTrustSettings, .removeTrustSettings,
            .removeAllTrustSettings, .replaceTrustSettings, .readTrustedApplication:
            [.none]
        }
    }

    /// Only these requests may ask about a changed program; calls that forbid a dialog may not.
    @Test func whoHasChangedMayBeAskedAbout() {
        let asking: Set<Operation> = [
            .find, .add, .update, .delete, .makeKey, .useKey, .makeDetachedKey, .readDetachedKey, .useDetachedKey,
        ]
        let found = RequestTests.requests.filter(\.mayAskPerson)
        #expect(Set(found.map(\.operation)) == asking)
        for request in found { #expect(type(of: request).needs == .admittedCaller, "\(request.operation)") }
    }
}
