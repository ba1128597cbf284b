# Written by Tools/generate-pages.sh from the description of the commands; do not edit.
# bash completion for security(1)

_security() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local at=security words='' files='' index
    COMPREPLY=()
    # bash takes “--name=value” for three words.
    if [[ $current == '=' ]]; then
        current=''
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$at ${COMP_WORDS[index]}" in
        'security h' | 'security he' | 'security hel' | 'security help') at='security help' ;;
        'security help i' | 'security help it' | 'security help ite' | 'security help item') at='security help item' ;;
        'security help item a' | 'security help item ad' | 'security help item add') at='security help item add' ;;
        'security help item f' | 'security help item fi' | 'security help item fin' | 'security help item find') at='security help item find' ;;
        'security help item u' | 'security help item up' | 'security help item upd' | 'security help item upda' | 'security help item updat' | 'security help item update') at='security help item update' ;;
        'security help item d' | 'security help item de' | 'security help item del' | 'security help item dele' | 'security help item delet' | 'security help item delete') at='security help item delete' ;;
        'security help item l' | 'security help item li' | 'security help item lis' | 'security help item list') at='security help item list' ;;
        'security help p' | 'security help pa' | 'security help pas' | 'security help pass' | 'security help passc' | 'security help passco' | 'security help passcod' | 'security help passcode') at='security help passcode' ;;
        'security help passcode se' | 'security help passcode set') at='security help passcode set' ;;
        'security help passcode c' | 'security help passcode ch' | 'security help passcode cha' | 'security help passcode chan' | 'security help passcode chang' | 'security help passcode change') at='security help passcode change' ;;
        'security help passcode r' | 'security help passcode re' | 'security help passcode rem' | 'security help passcode remo' | 'security help passcode remov' | 'security help passcode remove') at='security help passcode remove' ;;
        'security help passcode st' | 'security help passcode sta' | 'security help passcode stat' | 'security help passcode statu' | 'security help passcode status') at='security help passcode status' ;;
        'security help lock') at='security help lock' ;;
        'security help unlock') at='security help unlock' ;;
        'security help state') at='security help state' ;;
        'security help sett' | 'security help setti' | 'security help settin' | 'security help setting' | 'security help settings') at='security help settings' ;;
        'security help statu' | 'security help status') at='security help status' ;;
        'security help do' | 'security help doc' | 'security help doct' | 'security help docto' | 'security help doctor') at='security help doctor' ;;
        'security help ch' | 'security help che' | 'security help chec' | 'security help check') at='security help check' ;;
        'security help sn' | 'security help sna' | 'security help snap' | 'security help snaps' | 'security help snapsh' | 'security help snapsho' | 'security help snapshot') at='security help snapshot' ;;
        'security help snapshot l' | 'security help snapshot li' | 'security help snapshot lis' | 'security help snapshot list') at='security help snapshot list' ;;
        'security help snapshot c' | 'security help snapshot cr' | 'security help snapshot cre' | 'security help snapshot crea' | 'security help snapshot creat' | 'security help snapshot create') at='security help snapshot create' ;;
        'security help snapshot r' | 'security help snapshot re' | 'security help snapshot res' | 'security help snapshot rest' | 'security help snapshot resto' | 'security help snapshot restor' | 'security help snapshot restore') at='security help snapshot restore' ;;
        'security help snapshot p' | 'security help snapshot pu' | 'security help snapshot pur' | 'security help snapshot purg' | 'security help snapshot purge') at='security help snapshot purge' ;;
        'security help a' | 'security help ap' | 'security help app') at='security help app' ;;
        'security help app l' | 'security help app li' | 'security help app lis' | 'security help app list') at='security help app list' ;;
        'security help app sh' | 'security help app sho' | 'security help app show') at='security help app show' ;;
        'security help app v' | 'security help app ve' | 'security help app ver' | 'security help app veri' | 'security help app verif' | 'security help app verify') at='security help app verify' ;;
        'security help app ac' | 'security help app acc' | 'security help app acce' | 'security help app accep' | 'security help app accept') at='security help app accept' ;;
        'security help app d' | 'security help app de' | 'security help app dev' | 'security help app deve' | 'security help app devel' | 'security help app develo' | 'security help app develop') at='security help app develop' ;;
        'security help app f' | 'security help app fo' | 'security help app for' | 'security help app forg' | 'security help app forge' | 'security help app forget') at='security help app forget' ;;
        'security help app ad' | 'security help app ado' | 'security help app adop' | 'security help app adopt') at='security help app adopt' ;;
        'security help app t' | 'security help app te' | 'security help app tea' | 'security help app team') at='security help app team' ;;
        'security help app team a' | 'security help app team ad' | 'security help app team add') at='security help app team add' ;;
        'security help app team l' | 'security help app team li' | 'security help app team lis' | 'security help app team list') at='security help app team list' ;;
        'security help app team r' | 'security help app team re' | 'security help app team rem' | 'security help app team remo' | 'security help app team remov' | 'security help app team remove') at='security help app team remove' ;;
        'security help app si' | 'security help app sig' | 'security help app sign') at='security help app sign' ;;
        'security help app p' | 'security help app pr' | 'security help app pro' | 'security help app prof' | 'security help app profi' | 'security help app profil' | 'security help app profile') at='security help app profile' ;;
        'security help app i' | 'security help app id' | 'security help app ide' | 'security help app iden' | 'security help app ident' | 'security help app identi' | 'security help app identit' | 'security help app identity') at='security help app identity' ;;
        'security help app identity c' | 'security help app identity cr' | 'security help app identity cre' | 'security help app identity crea' | 'security help app identity creat' | 'security help app identity create') at='security help app identity create' ;;
        'security help g' | 'security help ge' | 'security help gen' | 'security help gene' | 'security help gener' | 'security help genera' | 'security help generat' | 'security help generate' | 'security help generate-' | 'security help generate-p' | 'security help generate-pa' | 'security help generate-pas' | 'security help generate-pass' | 'security help generate-passw' | 'security help generate-passwo' | 'security help generate-passwor' | 'security help generate-password') at='security help generate-password' ;;
        'security help e' | 'security help er' | 'security help err' | 'security help erro' | 'security help error') at='security help error' ;;
        'security help li' | 'security help lis' | 'security help list' | 'security help list-' | 'security help list-k' | 'security help list-ke' | 'security help list-key' | 'security help list-keyc' | 'security help list-keych' | 'security help list-keycha' | 'security help list-keychai' | 'security help list-keychain' | 'security help list-keychains') at='security help list-keychains' ;;
        'security help de' | 'security help def' | 'security help defa' | 'security help defau' | 'security help defaul' | 'security help default' | 'security help default-' | 'security help default-k' | 'security help default-ke' | 'security help default-key' | 'security help default-keyc' | 'security help default-keych' | 'security help default-keycha' | 'security help default-keychai' | 'security help default-keychain') at='security help default-keychain' ;;
        'security help log' | 'security help logi' | 'security help login' | 'security help login-' | 'security help login-k' | 'security help login-ke' | 'security help login-key' | 'security help login-keyc' | 'security help login-keych' | 'security help login-keycha' | 'security help login-keychai' | 'security help login-keychain') at='security help login-keychain' ;;
        'security help cr' | 'security help cre' | 'security help crea' | 'security help creat' | 'security help create' | 'security help create-' | 'security help create-k' | 'security help create-ke' | 'security help create-key' | 'security help create-keyc' | 'security help create-keych' | 'security help create-keycha' | 'security help create-keychai' | 'security help create-keychain') at='security help create-keychain' ;;
        'security help del' | 'security help dele' | 'security help delet' | 'security help delete' | 'security help delete-' | 'security help delete-k' | 'security help delete-ke' | 'security help delete-key' | 'security help delete-keyc' | 'security help delete-keych' | 'security help delete-keycha' | 'security help delete-keychai' | 'security help delete-keychain') at='security help delete-keychain' ;;
        'security help lock-' | 'security help lock-k' | 'security help lock-ke' | 'security help lock-key' | 'security help lock-keyc' | 'security help lock-keych' | 'security help lock-keycha' | 'security help lock-keychai' | 'security help lock-keychain') at='security help lock-keychain' ;;
        'security help unlock-' | 'security help unlock-k' | 'security help unlock-ke' | 'security help unlock-key' | 'security help unlock-keyc' | 'security help unlock-keych' | 'security help unlock-keycha' | 'security help unlock-keychai' | 'security help unlock-keychain') at='security help unlock-keychain' ;;
        'security help set-' | 'security help set-k' | 'security help set-ke' | 'security help set-key' | 'security help set-keyc' | 'security help set-keych' | 'security help set-keycha' | 'security help set-keychai' | 'security help set-keychain' | 'security help set-keychain-' | 'security help set-keychain-s' | 'security help set-keychain-se' | 'security help set-keychain-set' | 'security help set-keychain-sett' | 'security help set-keychain-setti' | 'security help set-keychain-settin' | 'security help set-keychain-setting' | 'security help set-keychain-settings') at='security help set-keychain-settings' ;;
        'security help set-keychain-p' | 'security help set-keychain-pa' | 'security help set-keychain-pas' | 'security help set-keychain-pass' | 'security help set-keychain-passw' | 'security help set-keychain-passwo' | 'security help set-keychain-passwor' | 'security help set-keychain-password') at='security help set-keychain-password' ;;
        'security help sh' | 'security help sho' | 'security help show' | 'security help show-' | 'security help show-k' | 'security help show-ke' | 'security help show-key' | 'security help show-keyc' | 'security help show-keych' | 'security help show-keycha' | 'security help show-keychai' | 'security help show-keychain' | 'security help show-keychain-' | 'security help show-keychain-i' | 'security help show-keychain-in' | 'security help show-keychain-inf' | 'security help show-keychain-info') at='security help show-keychain-info' ;;
        'security i' | 'security it' | 'security ite' | 'security item') at='security item' ;;
        'security item a' | 'security item ad' | 'security item add') at='security item add' ;;
        'security item f' | 'security item fi' | 'security item fin' | 'security item find') at='security item find' ;;
        'security item u' | 'security item up' | 'security item upd' | 'security item upda' | 'security item updat' | 'security item update') at='security item update' ;;
        'security item d' | 'security item de' | 'security item del' | 'security item dele' | 'security item delet' | 'security item delete') at='security item delete' ;;
        'security item l' | 'security item li' | 'security item lis' | 'security item list') at='security item list' ;;
        'security p' | 'security pa' | 'security pas' | 'security pass' | 'security passc' | 'security passco' | 'security passcod' | 'security passcode') at='security passcode' ;;
        'security passcode se' | 'security passcode set') at='security passcode set' ;;
        'security passcode c' | 'security passcode ch' | 'security passcode cha' | 'security passcode chan' | 'security passcode chang' | 'security passcode change') at='security passcode change' ;;
        'security passcode r' | 'security passcode re' | 'security passcode rem' | 'security passcode remo' | 'security passcode remov' | 'security passcode remove') at='security passcode remove' ;;
        'security passcode st' | 'security passcode sta' | 'security passcode stat' | 'security passcode statu' | 'security passcode status') at='security passcode status' ;;
        'security lock') at='security lock' ;;
        'security unlock') at='security unlock' ;;
        'security state') at='security state' ;;
        'security sett' | 'security setti' | 'security settin' | 'security setting' | 'security settings') at='security settings' ;;
        'security statu' | 'security status') at='security status' ;;
        'security do' | 'security doc' | 'security doct' | 'security docto' | 'security doctor') at='security doctor' ;;
        'security ch' | 'security che' | 'security chec' | 'security check') at='security check' ;;
        'security sn' | 'security sna' | 'security snap' | 'security snaps' | 'security snapsh' | 'security snapsho' | 'security snapshot') at='security snapshot' ;;
        'security snapshot l' | 'security snapshot li' | 'security snapshot lis' | 'security snapshot list') at='security snapshot list' ;;
        'security snapshot c' | 'security snapshot cr' | 'security snapshot cre' | 'security snapshot crea' | 'security snapshot creat' | 'security snapshot create') at='security snapshot create' ;;
        'security snapshot r' | 'security snapshot re' | 'security snapshot res' | 'security snapshot rest' | 'security snapshot resto' | 'security snapshot restor' | 'security snapshot restore') at='security snapshot restore' ;;
        'security snapshot p' | 'security snapshot pu' | 'security snapshot pur' | 'security snapshot purg' | 'security snapshot purge') at='security snapshot purge' ;;
        'security a' | 'security ap' | 'security app') at='security app' ;;
        'security app l' | 'security app li' | 'security app lis' | 'security app list') at='security app list' ;;
        'security app sh' | 'security app sho' | 'security app show') at='security app show' ;;
        'security app v' | 'security app ve' | 'security app ver' | 'security app veri' | 'security app verif' | 'security app verify') at='security app verify' ;;
        'security app ac' | 'security app acc' | 'security app acce' | 'security app accep' | 'security app accept') at='security app accept' ;;
        'security app d' | 'security app de' | 'security app dev' | 'security app deve' | 'security app devel' | 'security app develo' | 'security app develop') at='security app develop' ;;
        'security app f' | 'security app fo' | 'security app for' | 'security app forg' | 'security app forge' | 'security app forget') at='security app forget' ;;
        'security app ad' | 'security app ado' | 'security app adop' | 'security app adopt') at='security app adopt' ;;
        'security app t' | 'security app te' | 'security app tea' | 'security app team') at='security app team' ;;
        'security app team a' | 'security app team ad' | 'security app team add') at='security app team add' ;;
        'security app team l' | 'security app team li' | 'security app team lis' | 'security app team list') at='security app team list' ;;
        'security app team r' | 'security app team re' | 'security app team rem' | 'security app team remo' | 'security app team remov' | 'security app team remove') at='security app team remove' ;;
        'security app si' | 'security app sig' | 'security app sign') at='security app sign' ;;
        'security app p' | 'security app pr' | 'security app pro' | 'security app prof' | 'security app profi' | 'security app profil' | 'security app profile') at='security app profile' ;;
        'security app i' | 'security app id' | 'security app ide' | 'security app iden' | 'security app ident' | 'security app identi' | 'security app identit' | 'security app identity') at='security app identity' ;;
        'security app identity c' | 'security app identity cr' | 'security app identity cre' | 'security app identity crea' | 'security app identity creat' | 'security app identity create') at='security app identity create' ;;
        'security g' | 'security ge' | 'security gen' | 'security gene' | 'security gener' | 'security genera' | 'security generat' | 'security generate' | 'security generate-' | 'security generate-p' | 'security generate-pa' | 'security generate-pas' | 'security generate-pass' | 'security generate-passw' | 'security generate-passwo' | 'security generate-passwor' | 'security generate-password') at='security generate-password' ;;
        'security e' | 'security er' | 'security err' | 'security erro' | 'security error') at='security error' ;;
        'security li' | 'security lis' | 'security list' | 'security list-' | 'security list-k' | 'security list-ke' | 'security list-key' | 'security list-keyc' | 'security list-keych' | 'security list-keycha' | 'security list-keychai' | 'security list-keychain' | 'security list-keychains') at='security list-keychains' ;;
        'security de' | 'security def' | 'security defa' | 'security defau' | 'security defaul' | 'security default' | 'security default-' | 'security default-k' | 'security default-ke' | 'security default-key' | 'security default-keyc' | 'security default-keych' | 'security default-keycha' | 'security default-keychai' | 'security default-keychain') at='security default-keychain' ;;
        'security log' | 'security logi' | 'security login' | 'security login-' | 'security login-k' | 'security login-ke' | 'security login-key' | 'security login-keyc' | 'security login-keych' | 'security login-keycha' | 'security login-keychai' | 'security login-keychain') at='security login-keychain' ;;
        'security cr' | 'security cre' | 'security crea' | 'security creat' | 'security create' | 'security create-' | 'security create-k' | 'security create-ke' | 'security create-key' | 'security create-keyc' | 'security create-keych' | 'security create-keycha' | 'security create-keychai' | 'security create-keychain') at='security create-keychain' ;;
        'security del' | 'security dele' | 'security delet' | 'security delete' | 'security delete-' | 'security delete-k' | 'security delete-ke' | 'security delete-key' | 'security delete-keyc' | 'security delete-keych' | 'security delete-keycha' | 'security delete-keychai' | 'security delete-keychain') at='security delete-keychain' ;;
        'security lock-' | 'security lock-k' | 'security lock-ke' | 'security lock-key' | 'security lock-keyc' | 'security lock-keych' | 'security lock-keycha' | 'security lock-keychai' | 'security lock-keychain') at='security lock-keychain' ;;
        'security unlock-' | 'security unlock-k' | 'security unlock-ke' | 'security unlock-key' | 'security unlock-keyc' | 'security unlock-keych' | 'security unlock-keycha' | 'security unlock-keychai' | 'security unlock-keychain') at='security unlock-keychain' ;;
        'security set-' | 'security set-k' | 'security set-ke' | 'security set-key' | 'security set-keyc' | 'security set-keych' | 'security set-keycha' | 'security set-keychai' | 'security set-keychain' | 'security set-keychain-' | 'security set-keychain-s' | 'security set-keychain-se' | 'security set-keychain-set' | 'security set-keychain-sett' | 'security set-keychain-setti' | 'security set-keychain-settin' | 'security set-keychain-setting' | 'security set-keychain-settings') at='security set-keychain-settings' ;;
        'security set-keychain-p' | 'security set-keychain-pa' | 'security set-keychain-pas' | 'security set-keychain-pass' | 'security set-keychain-passw' | 'security set-keychain-passwo' | 'security set-keychain-passwor' | 'security set-keychain-password') at='security set-keychain-password' ;;
        'security sh' | 'security sho' | 'security show' | 'security show-' | 'security show-k' | 'security show-ke' | 'security show-key' | 'security show-keyc' | 'security show-keych' | 'security show-keycha' | 'security show-keychai' | 'security show-keychain' | 'security show-keychain-' | 'security show-keychain-i' | 'security show-keychain-in' | 'security show-keychain-inf' | 'security show-keychain-info') at='security show-keychain-info' ;;
        *) break ;;
        esac
    done
    case "$at $previous" in
    'security -p') : ;;
    'security item add --class') words='generic internet certificate key identity' ;;
    'security item add -s' | 'security item add --service') : ;;
    'security item add -a' | 'security item add --account') : ;;
    'security item add -l' | 'security item add --label') : ;;
    'security item add -j' | 'security item add --comment') : ;;
    'security item add -D' | 'security item add --description') : ;;
    'security item add --generic') : ;;
    'security item add -c' | 'security item add --creator') : ;;
    'security item add -C' | 'security item add --type') : ;;
    'security item add --server') : ;;
    'security item add --protocol') words='http https http-proxy https-proxy ssh ftp ftps ftp-account ftp-proxy imap imaps smtp pop3 pop3s ldap ldaps smb cifs afp appletalk nntp nntps irc ircs telnet telnets socks rtsp rtsp-proxy daap eppc ipp svn cvs-pserver' ;;
    'security item add --port') : ;;
    'security item add --path') : ;;
    'security item add --security-domain') : ;;
    'security item add --authentication-type') words='default http-basic http-digest html-form ntlm msn dpa rpa' ;;
    'security item add --group') : ;;
    'security item add --accessible') words='when-unlocked after-first-unlock always when-unlocked-this-device-only after-first-unlock-this-device-only always-this-device-only when-passcode-set-this-device-only' ;;
    'security item add --access-control') words='userPresence biometryAny biometryCurrentSet devicePasscode companion or and privateKeyUsage applicationPassword none' ;;
    'security item add --synchronizable') words='yes no any' ;;
    'security item add --attribute') words='service= server= account= label= description= comment= generic= protocol= port= path= security-domain= authentication-type= creator= type= invisible= negative= group= accessible= access-control= synchronizable= created= modified=' ;;
    'security item add --secret-fd') : ;;
    'security item find --class') words='generic internet certificate key identity' ;;
    'security item find -s' | 'security item find --service') : ;;
    'security item find -a' | 'security item find --account') : ;;
    'security item find -l' | 'security item find --label') : ;;
    'security item find -j' | 'security item find --comment') : ;;
    'security item find -D' | 'security item find --description') : ;;
    'security item find --generic') : ;;
    'security item find -c' | 'security item find --creator') : ;;
    'security item find -C' | 'security item find --type') : ;;
    'security item find --server') : ;;
    'security item find --protocol') words='http https http-proxy https-proxy ssh ftp ftps ftp-account ftp-proxy imap imaps smtp pop3 pop3s ldap ldaps smb cifs afp appletalk nntp nntps irc ircs telnet telnets socks rtsp rtsp-proxy daap eppc ipp svn cvs-pserver' ;;
    'security item find --port') : ;;
    'security item find --path') : ;;
    'security item find --security-domain') : ;;
    'security item find --authentication-type') words='default http-basic http-digest html-form ntlm msn dpa rpa' ;;
    'security item find --group') : ;;
    'security item find --accessible') words='when-unlocked after-first-unlock always when-unlocked-this-device-only after-first-unlock-this-device-only always-this-device-only when-passcode-set-this-device-only' ;;
    'security item find --access-control') words='userPresence biometryAny biometryCurrentSet devicePasscode companion or and privateKeyUsage applicationPassword none' ;;
    'security item find --synchronizable') words='yes no any' ;;
    'security item find --attribute') words='service= server= account= label= description= comment= generic= protocol= port= path= security-domain= authentication-type= creator= type= invisible= negative= group= accessible= access-control= synchronizable= created= modified=' ;;
    'security item find --host') : ;;
    'security item find --persistent-ref') : ;;
    'security item find --limit') : ;;
    'security item update --class') words='generic internet certificate key identity' ;;
    'security item update -s' | 'security item update --service') : ;;
    'security item update -a' | 'security item update --account') : ;;
    'security item update -l' | 'security item update --label') : ;;
    'security item update -j' | 'security item update --comment') : ;;
    'security item update -D' | 'security item update --description') : ;;
    'security item update --generic') : ;;
    'security item update -c' | 'security item update --creator') : ;;
    'security item update -C' | 'security item update --type') : ;;
    'security item update --server') : ;;
    'security item update --protocol') words='http https http-proxy https-proxy ssh ftp ftps ftp-account ftp-proxy imap imaps smtp pop3 pop3s ldap ldaps smb cifs afp appletalk nntp nntps irc ircs telnet telnets socks rtsp rtsp-proxy daap eppc ipp svn cvs-pserver' ;;
    'security item update --port') : ;;
    'security item update --path') : ;;
    'security item update --security-domain') : ;;
    'security item update --authentication-type') words='default http-basic http-digest html-form ntlm msn dpa rpa' ;;
    'security item update --group') : ;;
    'security item update --accessible') words='when-unlocked after-first-unlock always when-unlocked-this-device-only after-first-unlock-this-device-only always-this-device-only when-passcode-set-this-device-only' ;;
    'security item update --access-control') words='userPresence biometryAny biometryCurrentSet devicePasscode companion or and privateKeyUsage applicationPassword none' ;;
    'security item update --synchronizable') words='yes no any' ;;
    'security item update --attribute') words='service= server= account= label= description= comment= generic= protocol= port= path= security-domain= authentication-type= creator= type= invisible= negative= group= accessible= access-control= synchronizable= created= modified=' ;;
    'security item update --host') : ;;
    'security item update --persistent-ref') : ;;
    'security item update --secret-fd') : ;;
    'security item update --set') words='service= server= account= label= description= comment= generic= protocol= port= path= security-domain= authentication-type= creator= type= invisible= negative= group= accessible= access-control= synchronizable= created= modified=' ;;
    'security item delete --class') words='generic internet certificate key identity' ;;
    'security item delete -s' | 'security item delete --service') : ;;
    'security item delete -a' | 'security item delete --account') : ;;
    'security item delete -l' | 'security item delete --label') : ;;
    'security item delete -j' | 'security item delete --comment') : ;;
    'security item delete -D' | 'security item delete --description') : ;;
    'security item delete --generic') : ;;
    'security item delete -c' | 'security item delete --creator') : ;;
    'security item delete -C' | 'security item delete --type') : ;;
    'security item delete --server') : ;;
    'security item delete --protocol') words='http https http-proxy https-proxy ssh ftp ftps ftp-account ftp-proxy imap imaps smtp pop3 pop3s ldap ldaps smb cifs afp appletalk nntp nntps irc ircs telnet telnets socks rtsp rtsp-proxy daap eppc ipp svn cvs-pserver' ;;
    'security item delete --port') : ;;
    'security item delete --path') : ;;
    'security item delete --security-domain') : ;;
    'security item delete --authentication-type') words='default http-basic http-digest html-form ntlm msn dpa rpa' ;;
    'security item delete --group') : ;;
    'security item delete --accessible') words='when-unlocked after-first-unlock always when-unlocked-this-device-only after-first-unlock-this-device-only always-this-device-only when-passcode-set-this-device-only' ;;
    'security item delete --access-control') words='userPresence biometryAny biometryCurrentSet devicePasscode companion or and privateKeyUsage applicationPassword none' ;;
    'security item delete --synchronizable') words='yes no any' ;;
    'security item delete --attribute') words='service= server= account= label= description= comment= generic= protocol= port= path= security-domain= authentication-type= creator= type= invisible= negative= group= accessible= access-control= synchronizable= created= modified=' ;;
    'security item delete --host') : ;;
    'security item delete --persistent-ref') : ;;
    'security item list --class') words='generic internet certificate key identity' ;;
    'security item list --group') : ;;
    'security item list --descriptor') : ;;
    'security passcode set --descriptor') : ;;
    'security passcode change --descriptor') : ;;
    'security passcode remove --descriptor') : ;;
    'security unlock --descriptor') : ;;
    'security settings --idle-lock') : ;;
    'security settings --descriptor') : ;;
    'security snapshot restore --descriptor') : ;;
    'security snapshot purge --keep') : ;;
    'security snapshot purge --descriptor') : ;;
    'security app accept --descriptor') : ;;
    'security app develop --descriptor') : ;;
    'security app forget --descriptor') : ;;
    'security app adopt --descriptor') : ;;
    'security app team add --team') : ;;
    'security app team add --descriptor') : ;;
    'security app team remove --descriptor') : ;;
    'security app sign --identity') files=yes ;;
    'security app sign --identifier') : ;;
    'security app sign --entitlements') files=yes ;;
    'security app sign --profile') files=yes ;;
    'security app sign --days') : ;;
    'security app sign --output') files=yes ;;
    'security app profile --identity') files=yes ;;
    'security app profile --signer') files=yes ;;
    'security app profile --identifier') : ;;
    'security app profile --group') : ;;
    'security app profile --application-group') : ;;
    'security app profile --days') : ;;
    'security app identity create --team') : ;;
    'security app identity create --common-name') : ;;
    'security generate-password --kind') words='memorable letters-and-digits digits random' ;;
    'security generate-password --length') : ;;
    'security generate-password --count') : ;;
    'security list-keychains -d') : ;;
    'security default-keychain -d') : ;;
    'security login-keychain -d') : ;;
    'security create-keychain -p') : ;;
    'security unlock-keychain -p') : ;;
    'security set-keychain-settings -t') : ;;
    'security set-keychain-password -o') : ;;
    'security set-keychain-password -p') : ;;
    *)
        if [[ $current == -* ]]; then
            case $at in
            'security') words='-h --help --version -i -p -q -v' ;;
            'security help') words='-h --help' ;;
            'security item') words='-h --help' ;;
            'security item add') words='--class -s --service -a --account -l --label -j --comment -D --description --generic -c --creator -C --type --server --protocol --port --path --security-domain --authentication-type --group --accessible --access-control --synchronizable --invisible --negative --attribute --stdin --secret-fd --chomp --no-secret --json -h --help' ;;
            'security item find') words='--class -s --service -a --account -l --label -j --comment -D --description --generic -c --creator -C --type --server --protocol --port --path --security-domain --authentication-type --group --accessible --access-control --synchronizable --invisible --negative --attribute --host --persistent-ref --secret --all --limit --json -h --help' ;;
            'security item update') words='--class -s --service -a --account -l --label -j --comment -D --description --generic -c --creator -C --type --server --protocol --port --path --security-domain --authentication-type --group --accessible --access-control --synchronizable --invisible --negative --attribute --host --persistent-ref --stdin --secret-fd --chomp --set --prompt --all --json -h --help' ;;
            'security item delete') words='--class -s --service -a --account -l --label -j --comment -D --description --generic -c --creator -C --type --server --protocol --port --path --security-domain --authentication-type --group --accessible --access-control --synchronizable --invisible --negative --attribute --host --persistent-ref --all --json -h --help' ;;
            'security item list') words='--class --group --json --all --stdin --descriptor -h --help' ;;
            'security passcode') words='-h --help' ;;
            'security passcode set') words='--stdin --descriptor -h --help' ;;
            'security passcode change') words='--stdin --descriptor --new-keys -h --help' ;;
            'security passcode remove') words='--stdin --descriptor -h --help' ;;
            'security passcode status') words='--json -h --help' ;;
            'security lock') words='--json -h --help' ;;
            'security unlock') words='--stdin --descriptor -h --help' ;;
            'security state') words='--json -h --help' ;;
            'security settings') words='--idle-lock --json --stdin --descriptor -h --help' ;;
            'security status') words='--json -h --help' ;;
            'security doctor') words='--json -h --help' ;;
            'security check') words='--acknowledge --json -h --help' ;;
            'security snapshot') words='-h --help' ;;
            'security snapshot list') words='--json -h --help' ;;
            'security snapshot create') words='--json -h --help' ;;
            'security snapshot restore') words='--json --stdin --descriptor -h --help' ;;
            'security snapshot purge') words='--all --keep --json --stdin --descriptor -h --help' ;;
            'security app') words='-h --help' ;;
            'security app list') words='--json -h --help' ;;
            'security app show') words='--json -h --help' ;;
            'security app verify') words='-h --help' ;;
            'security app accept') words='--json --stdin --descriptor -h --help' ;;
            'security app develop') words='--json --stdin --descriptor -h --help' ;;
            'security app forget') words='--json --stdin --descriptor -h --help' ;;
            'security app adopt') words='--return --json --stdin --descriptor -h --help' ;;
            'security app team') words='-h --help' ;;
            'security app team add') words='--team --json --stdin --descriptor -h --help' ;;
            'security app team list') words='--json -h --help' ;;
            'security app team remove') words='--json --stdin --descriptor -h --help' ;;
            'security app sign') words='--identity --identifier --entitlements --profile --days --output -h --help' ;;
            'security app profile') words='--identity --signer --identifier --group --application-group --days -h --help' ;;
            'security app identity') words='-h --help' ;;
            'security app identity create') words='--team --common-name -h --help' ;;
            'security generate-password') words='--kind --length --count --json -h --help' ;;
            'security error') words='-h --help' ;;
            'security list-keychains') words='-d -s -h' ;;
            'security default-keychain') words='-d -s -h' ;;
            'security login-keychain') words='-d -s -h' ;;
            'security create-keychain') words='-p -P -h' ;;
            'security delete-keychain') words='-h' ;;
            'security lock-keychain') words='-a -h' ;;
            'security unlock-keychain') words='-p -u -h' ;;
            'security set-keychain-settings') words='-l -u -t -h' ;;
            'security set-keychain-password') words='-o -p -h' ;;
            'security show-keychain-info') words='-s -h' ;;
            esac
        else
            case $at in
            'security') words='help item passcode lock unlock state settings status doctor check snapshot app generate-password error list-keychains default-keychain login-keychain create-keychain delete-keychain lock-keychain unlock-keychain set-keychain-settings set-keychain-password show-keychain-info' ;;
            'security help') words='item passcode lock unlock state settings status doctor check snapshot app generate-password error list-keychains default-keychain login-keychain create-keychain delete-keychain lock-keychain unlock-keychain set-keychain-settings set-keychain-password show-keychain-info' ;;
            'security help item') words='add find update delete list' ;;
            'security help passcode') words='set change remove status' ;;
            'security help snapshot') words='list create restore purge' ;;
            'security help app') words='list show verify accept develop forget adopt team sign profile identity' ;;
            'security help app team') words='add list remove' ;;
            'security help app identity') words='create' ;;
            'security item') words='add find update delete list' ;;
            'security passcode') words='set change remove status' ;;
            'security snapshot') words='list create restore purge' ;;
            'security snapshot restore') words=$(security snapshot list 2>/dev/null | sed '1d;s/ .*//') ;;
            'security snapshot purge') words=$(security snapshot list 2>/dev/null | sed '1d;s/ .*//') ;;
            'security app') words='list show verify accept develop forget adopt team sign profile identity' ;;
            'security app show') files=yes ;;
            'security app verify') files=yes ;;
            'security app accept') files=yes ;;
            'security app develop') files=yes ;;
            'security app forget') files=yes ;;
            'security app adopt') files=yes ;;
            'security app team') words='add list remove' ;;
            'security app team add') files=yes ;;
            'security app sign') files=yes ;;
            'security app profile') files=yes ;;
            'security app identity') words='create' ;;
            'security list-keychains') files=yes ;;
            'security default-keychain') files=yes ;;
            'security login-keychain') files=yes ;;
            'security create-keychain') files=yes ;;
            'security delete-keychain') files=yes ;;
            'security lock-keychain') files=yes ;;
            'security unlock-keychain') files=yes ;;
            'security set-keychain-settings') files=yes ;;
            'security set-keychain-password') files=yes ;;
            'security show-keychain-info') files=yes ;;
            esac
        fi
        ;;
    esac
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
    fi
}
complete -F _security security
