import ChatelaineIPC
import ChatelaineModel
import Testing

@testable import SecurityServer

/// The path of a keychain decides who is responsible for its items.
struct KeychainPathUseTests {
    @Test func theMachinesAreTheMachines() throws {
        let folder = KeychainFolders.machine
        for (path, isOfMachine) in [
            ("\(folder)/System.keychain-db", true), ("/home/ada\(folder)/a-db", false), ("\(folder)s/a-db", false),
        ] {
            #expect(try KeychainPath(path, in: "/home/ada/keychains").isOfMachine == isOfMachine, "\(path)")
        }
    }
}
