import ChatelaineIPC
import Testing

/// What kinds of requests say of themselves. The tables below name all of them, so that a new one is in none by accident.
@Suite struct RequestPropertyTests {
    /// The table knows each of them, and each what the daemon has to know.
    @Test func everyOperationHasItsMessage() {
        let requests = RequestTests.requests
        #expect(Set(requests.map(\.operation)) == Set(Operation.allCases))
        for request in requests {
            #expect(type(of: request) == request.operation.message)
            #expect(type(of: request).isChange == (request is any ChangeMessage))
            #expect(!type(of: request).name.isEmpty)
        }
    }

    /// A program that has changed changes nothing, but in file keychains, where the item's access object tells it from what it was.
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

    /// The client opens as many connections for each, and the daemon carries out as many at a time.
    @Test func whatProcessesDoForThem() {
        for request in RequestTests.requests {
            #expect(Self.work(for: request.operation).contains(request.work), "\(request.operation)")
        }
    }

    private static func work(for operation: Operation) -> Set<RequestWork> {
        switch operation {
        // Certificates are judged where the query says so.
        case .find, .findKeychainItems: [.none, .longest]
        case .makeKey, .makeKeychainKey: [.longest]
        case .evaluateTrust: [.long]
        case .readSystemRoots, .readCertificates: [.brief]
        // Workers of formatd and keyd are asked within the turn of the program.
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

    /// Where nobody is asked, a program that has changed is refused. Calls that forbid a dialog are.
    @Test func whoHasChangedMayBeAskedAbout() {
        let asking: Set<Operation> = [
            .find, .add, .update, .delete, .makeKey, .useKey, .makeDetachedKey, .readDetachedKey, .useDetachedKey,
        ]
        let found = RequestTests.requests.filter(\.mayAskPerson)
        #expect(Set(found.map(\.operation)) == asking)
        for request in found { #expect(type(of: request).needs == .admittedCaller, "\(request.operation)") }
    }
}
