/**
 * The most common passwords of at least the minimum length, in lower case: keyboard patterns, sequences, names, teams,
 * seasons, and defaults in several languages. An offline list; see `breached-passwords.ts` for the online check.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
password1 password12 password123 password1234 password12345 password! password1! password123! passw0rd passw0rd1
p@ssword p@ssw0rd p@ssw0rd1 p@ssword1 p@ssw0rd! pa$$word pa$$w0rd passwords mypassword newpassword thepassword
yourpassword nopassword password2 password3 password7 password11 password99 password01 password2020 password2021
password2022 password2023 password2024 password2025 password2026 password 12345678 123456789 1234567890
12345678910 123456789a 123456789q 0123456789 01234567 0987654321 987654321 87654321 876543210 9876543210
11111111 1111111111 00000000 0000000000 12341234 123123123 1231231234 123321123 12344321 123454321 11223344
1122334455 112233445566 12121212 1212121212 123412341234 147258369 147852369 159357159 159753456 741852963
789456123 963852741 321654987 456789123 135792468 13579246810 246813579 99999999 88888888 77777777 66666666
55555555 44444444 33333333 22222222 69696969 10203040 1020304050 102030405060 14789632 123456781 12345679
1234567a 1234567q 1234qwer 12345qwert 123456qwerty 123qweasd 123qweasdzxc 123qwe123 1q2w3e4r 1q2w3e4r5t
1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qaz@wsx 1q2w3e4r! q1w2e3r4 q1w2e3r4t5 qazwsxedc qazwsx123 qazxswedc
zaq12wsx zaq1zaq1 zaq1@wsx !qaz2wsx !qaz@wsx qwertyui qwertyuiop qwertyuiop123 qwerty12 qwerty123 qwerty1234
qwerty12345 qwerty123456 qwerty1! qwerty123! qwertyqwerty qwertz123 qwertzui qwertzuiop azertyui azertyuiop
azerty123 asdfghjk asdfghjkl asdfasdf asdf1234 asdfqwer asdasdasd asdqwe123 zxcvbnm1 zxcvbnm123 zxcvbnm,
zxczxczxc poiuytrewq mnbvcxz1 qweasdzxc qweqweqwe qwer1234 qwe123qwe asd123asd zxc123zxc abcd1234 abc12345
abc123456 abc123abc abcdefgh abcdefghi abcdefghij abcdefg1 abcdefg123 a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678
aaa111222 a123456789 a12345678 a1234567 q1234567 q123456789 z1234567 aabbccdd abcabcabc abcd12345 iloveyou
iloveyou1 iloveyou2 iloveyou12 iloveyou! iloveyou123 iloveu123 loveyou1 lovelove loveme123 iloveme1 iloveme123
mylove123 babygirl babygirl1 princess princess1 princess123 sunshine sunshine1 sunshine123 football football1
football123 baseball baseball1 basketball softball1 volleyball superman superman1 superman123 batman123
spiderman spiderman1 pokemon1 pokemon123 starwars starwars1 michael1 michael123 jennifer jennifer1 jessica1
michelle michelle1 charlie1 charlie123 jordan23 liverpool liverpool1 liverpool123 chelsea1 chelsea123 arsenal1
arsenal123 barcelona barcelona1 realmadrid juventus manchester steelers patriots computer computer1 computer123
internet internet1 samsung1 samsung123 google123 facebook facebook1 minecraft minecraft1 whatever whatever1
trustno1 trustno1! letmein1 letmein12 letmein123 letmein! letmein1! welcome1 welcome12 welcome123 welcome1!
welcome123! welcome2024 welcome2025 welcome2026 welcome@123 dragon12 dragon123 monkey12 monkey123 shadow12
shadow123 master12 master123 killer123 hunter12 hunter123 soccer12 soccer123 hockey12 hockey123 ginger12
summer12 summer123 summer2023 summer2024 summer2025 summer2026 winter12 winter123 winter2023 winter2024
winter2025 winter2026 spring2024 spring2025 spring2026 autumn2024 autumn2025 autumn2026 january1 september
december1 november1 october1 february1 chocolate chocolate1 butterfly butterfly1 flower123 cookie123 cheese123
banana123 purple123 orange123 silver123 diamond1 midnight midnight1 mercedes ferrari1 corvette mustang1
harley123 testtest test1234 test12345 testing1 testing123 test123456 user1234 admin123 admin1234 admin12345
administrator admin@123 admin123! adminadmin root1234 rootroot toor1234 guest123 demo1234 default1 default123
changeme changeme1 changeme123 changeit changeit1 secret12 secret123 secret1234 topsecret access12 access14
temp1234 temporary login123 security security1 security123 letmeinnow openopen company1 company123 server123
system123 oracle123 cisco123 support1 support123 service1 backup123 database postgres postgres1 mysql123
glacis12 glacis123 kratos123 scanner1 hello123 hello1234 hello12345 hellohello helloworld helloworld1 goodluck
blahblah asshole1 fuckyou1 fuckyou2 fuckyou123 fuckoff1 bullshit nothing1 anything something1 forever1 freedom1
freedom123 jesus123 jesuschrist blessed1 godisgood lucky123 lucky777 money123 rainbow1 smokey12 stephanie
elizabeth alexander alexander1 alexandra christian christina nicholas nicole123 danielle daniel123 andrew123
anthony1 matthew1 joshua123 robert123 thomas123 william1 victoria victoria1 veronica vanessa1 patricia samantha
samantha1 maverick maverick1 snoopy123 scooby123 garfield peaches1 pumpkin1 cowboys1 redskins packers1 yankees1
lakers24 kobe2424 gandalf1 hobbes123 merlin123 phoenix1 thunder1 lightning hurricane tigger12 tigger123 buster12
buster123 pepper12 pepper123 maggie12 bailey12 sparky12 lovers123 sweetheart beautiful beautiful1 handsome1
metallica metallica1 nirvana1 slipknot slipknot1 eminem123 beatles1 britney1 portugal argentina australia
germany1 schalke04 passwort passwort1 passwort123 passwort123! hallo123 hallo1234 hallohallo schatz123
ichliebedich motdepasse motdepasse1 bonjour1 soleil123 jetaime123 doudou123 contrasena contrasena1 teamo123
tequiero estrella1 corazon1 parola123 ciao1234 juventus1 wachtwoord wachtwoord1 haslo123 polska123 salasana
losenord passord123 geheim123 sommer2024 sommer2025 sommer2026 herbst2025 fruhling1 schweiz1 zuerich1 basel1893
`
    .trim()
    .split(/\s+/),
)
