extension Services {
    /// The same, with the way to whoever sits at the machine.
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
        // Where there is a passcode, the next one has locked everything; and what was typed for this one is worth nothing.
        let fileKeychains = fileKeychains
        enclave.whenGone {
            inquiries.close()
            fileKeychains.noteEndOfCustodian()
        }
        return services
    }
}
