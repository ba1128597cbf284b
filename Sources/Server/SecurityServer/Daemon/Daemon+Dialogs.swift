extension Services {
    /// The same, with the way to whoever sits at the machine.
    func asking(_ options: Daemon.Options, _ sandbox: DaemonSandbox, _ session: [String]) -> Services {
        let (keychains, enclave) = (keychains, enclave)
        var services = self
        services.deciders += options.deciders
        services.inquiries = Inquiries(
            DialogQueue(
                starter: sandbox.helpers.dialogs,
                checking: PasscodeOfStore(enclave: enclave) { keychains.default.present?.store },
                place: DialogPlace.Finder(pinentry: options.pinentry, session: session), log: log,
                seconds: options.dialogSeconds))
        return services
    }
}
