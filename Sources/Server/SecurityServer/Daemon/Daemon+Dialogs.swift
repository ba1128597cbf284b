extension Services {
    /// Adds the services that ask the person at the machine.
    func asking(_ options: Daemon.Options, _ sandbox: DaemonSandbox, _ session: [String]) -> Services {
        let (keychains, enclave) = (keychains, enclave)
        var services = self
        services.deciders += options.deciders
        let inquiries = Inquiries(
            DialogQueue(
                starter: sandbox.helpers.dialogs,
                checking: PasscodeOfStore(enclave: enclave) { keychains.default.present?.store },
                place: DialogPlace.Finder(pinentry: options.pinentry, session: session), log: log,
                seconds: options.dialogSeconds))
        services.inquiries = inquiries
        // Where there is a passcode, the next custodian starts locked. What a person typed for the old one no longer
        // counts.
        let fileKeychains = fileKeychains
        fileKeychains.whenOpened { inquiries.noteOpening(of: $0) }
        enclave.whenGone {
            inquiries.close()
            fileKeychains.noteEndOfCustodian()
        }
        return services
    }
}
