// Browser script for passkeys and security keys. Defines the functions that form nodes name in `onclickTrigger` and
// `onloadTrigger`. Each calls the authenticator, writes the response to its hidden input and submits the form.
;(() => {
  const ready = '__oryWebAuthnInitialized'
  if (!window.PublicKeyCredential || window[ready] === true) return

  const toBytes = (text) => {
    const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  }
  const toText = (buffer) => {
    const characters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')
    return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  }
  const inputOf = (name, selector) => document.querySelector(selector || `[name="${name}"]`)
  const optionsIn = (name) => JSON.parse(inputOf(name).value)
  const withIds = (list) => (list || []).map((one) => ({ ...one, id: toBytes(one.id) }))

  const forSignIn = (publicKey) => ({
    ...publicKey,
    challenge: toBytes(publicKey.challenge),
    allowCredentials: withIds(publicKey.allowCredentials),
  })
  const forCreation = (publicKey) => ({
    ...publicKey,
    challenge: toBytes(publicKey.challenge),
    user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
    excludeCredentials: withIds(publicKey.excludeCredentials),
  })

  const signedIn = ({ id, rawId, type, response }) => ({
    id,
    rawId: toText(rawId),
    type,
    response: {
      authenticatorData: toText(response.authenticatorData),
      clientDataJSON: toText(response.clientDataJSON),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : '',
    },
  })
  const created = ({ id, rawId, type, response }) => ({
    id,
    rawId: toText(rawId),
    type,
    response: {
      attestationObject: toText(response.attestationObject),
      clientDataJSON: toText(response.clientDataJSON),
    },
  })

  const send = (name, answer, selector) => {
    const input = inputOf(name, selector)
    input.value = JSON.stringify(answer)
    input.closest('form').submit()
  }
  // Don't submit the form if the user cancels.
  // oxlint-disable-next-line no-console -- as in Kratos' script, errors go to the console
  const quietly = (work) => work.catch((reason) => console.error(reason))
  // Autofill starts without user action, so its cancellation isn't an error.
  const isOver = ({ name } = {}) => name === 'AbortError' || name === 'NotAllowedError'
  const unasked = (work) => quietly(work.catch((reason) => (isOver(reason) ? undefined : Promise.reject(reason))))

  const stopConditional = () => {
    if (window.abortPasskeyConditionalUI) window.abortPasskeyConditionalUI.abort(new DOMException('', 'AbortError'))
    window.abortPasskeyConditionalUI = undefined
  }
  const createPasskey = async (publicKey, name) => {
    const credential = await navigator.credentials.create({ publicKey: forCreation(publicKey) })
    send(name, created(credential))
  }

  const securityKeySignIn = async (options, selector) => {
    const credential = await navigator.credentials.get({ publicKey: forSignIn(options.publicKey) })
    send('webauthn_login', signedIn(credential), selector)
  }
  const securityKeyCreation = async (options, selector) => {
    const credential = await navigator.credentials.create({ publicKey: forCreation(options.publicKey) })
    send('webauthn_register', created(credential), selector)
  }
  const passkeySignIn = async () => {
    stopConditional()
    const { publicKey } = optionsIn('passkey_challenge')
    const credential = await navigator.credentials.get({ publicKey: forSignIn(publicKey) })
    send('passkey_login', signedIn(credential))
  }
  const passkeyAutocomplete = async () => {
    const isPossible = window.PublicKeyCredential.isConditionalMediationAvailable
    if (!isPossible || !(await isPossible.call(window.PublicKeyCredential))) return
    if (!inputOf('passkey_challenge')) return
    stopConditional()
    const controller = new AbortController()
    window.abortPasskeyConditionalUI = controller
    const { publicKey } = optionsIn('passkey_challenge')
    const credential = await navigator.credentials.get({
      publicKey: forSignIn(publicKey),
      mediation: 'conditional',
      signal: controller.signal,
    })
    // The button has started another ceremony, and the challenge works only once.
    if (controller.signal.aborted) return
    send('passkey_login', signedIn(credential))
  }
  const passkeyCreation = async () => {
    const { credentialOptions, displayNameFieldNames, displayNameFieldName } = optionsIn('passkey_create_data')
    const names = displayNameFieldNames || [displayNameFieldName]
    const displayName = names.map((name) => inputOf(name)?.value).find(Boolean) || ''
    const { publicKey } = credentialOptions
    const user = { ...publicKey.user, ...(displayName && { name: displayName, displayName }) }
    await createPasskey({ ...publicKey, user }, 'passkey_register')
  }
  const passkeyOfSettings = async () => {
    await createPasskey(optionsIn('passkey_create_data').publicKey, 'passkey_settings_register')
  }

  const functions = {
    oryWebAuthnLogin: (options, selector) => quietly(securityKeySignIn(options, selector)),
    oryWebAuthnRegistration: (options, selector) =>
      securityKeyCreation(options, selector).catch((reason) => window.alert(reason)),
    oryPasskeyLogin: () => quietly(passkeySignIn()),
    oryPasskeyLoginAutocompleteInit: () => unasked(passkeyAutocomplete()),
    oryPasskeyRegistration: () => quietly(passkeyCreation()),
    oryPasskeySettingsRegistration: () => quietly(passkeyOfSettings()),
  }
  for (const [name, work] of Object.entries(functions)) {
    window[name] = work
    window[`__${name}`] = work
  }
  window[ready] = true
  window.dispatchEvent(new CustomEvent('oryWebAuthnInitialized'))
})()
