// Browser script for passkeys and security keys. Defines the functions that form nodes name in `onclickTrigger` and
// `onloadTrigger`. Each calls the authenticator, writes the response to its hidden input and submits the form.
;(() => {
  const initializedFlag = '__oryWebAuthnInitialized'
  if (!window.PublicKeyCredential || window[initializedFlag] === true) return

  const toBytes = (text) => {
    const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  }
  const toBase64url = (buffer) => {
    const characters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')
    return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  }
  const inputOf = (name, selector) => document.querySelector(selector || `[name="${name}"]`)
  const optionsIn = (name) => JSON.parse(inputOf(name).value)
  const decodeIds = (list) => (list || []).map((descriptor) => ({ ...descriptor, id: toBytes(descriptor.id) }))

  const decodeRequestOptions = (publicKey) => ({
    ...publicKey,
    challenge: toBytes(publicKey.challenge),
    allowCredentials: decodeIds(publicKey.allowCredentials),
  })
  const decodeCreationOptions = (publicKey) => ({
    ...publicKey,
    challenge: toBytes(publicKey.challenge),
    user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
    excludeCredentials: decodeIds(publicKey.excludeCredentials),
  })

  const encodeAssertion = ({ id, rawId, type, response }) => ({
    id,
    rawId: toBase64url(rawId),
    type,
    response: {
      authenticatorData: toBase64url(response.authenticatorData),
      clientDataJSON: toBase64url(response.clientDataJSON),
      signature: toBase64url(response.signature),
      userHandle: response.userHandle ? toBase64url(response.userHandle) : '',
    },
  })
  const encodeAttestation = ({ id, rawId, type, response }) => ({
    id,
    rawId: toBase64url(rawId),
    type,
    response: {
      attestationObject: toBase64url(response.attestationObject),
      clientDataJSON: toBase64url(response.clientDataJSON),
    },
  })

  const submitResponse = (name, response, selector) => {
    const input = inputOf(name, selector)
    input.value = JSON.stringify(response)
    input.closest('form').submit()
  }
  // Don't submit the form if the user cancels.
  // oxlint-disable-next-line no-console -- as in Kratos' script, errors go to the console
  const logErrors = (work) => work.catch((reason) => console.error(reason))
  // Autofill starts without user action, so its cancellation isn't an error.
  const isCancellation = ({ name } = {}) => name === 'AbortError' || name === 'NotAllowedError'
  const logUnexpectedErrors = (work) =>
    logErrors(work.catch((reason) => (isCancellation(reason) ? undefined : Promise.reject(reason))))

  const stopConditional = () => {
    if (window.abortPasskeyConditionalUI) window.abortPasskeyConditionalUI.abort(new DOMException('', 'AbortError'))
    window.abortPasskeyConditionalUI = undefined
  }
  const createPasskey = async (publicKey, name) => {
    const credential = await navigator.credentials.create({ publicKey: decodeCreationOptions(publicKey) })
    submitResponse(name, encodeAttestation(credential))
  }

  const securityKeySignIn = async (options, selector) => {
    const credential = await navigator.credentials.get({ publicKey: decodeRequestOptions(options.publicKey) })
    submitResponse('webauthn_login', encodeAssertion(credential), selector)
  }
  const securityKeyCreation = async (options, selector) => {
    const credential = await navigator.credentials.create({ publicKey: decodeCreationOptions(options.publicKey) })
    submitResponse('webauthn_register', encodeAttestation(credential), selector)
  }
  const passkeySignIn = async () => {
    stopConditional()
    const { publicKey } = optionsIn('passkey_challenge')
    const credential = await navigator.credentials.get({ publicKey: decodeRequestOptions(publicKey) })
    submitResponse('passkey_login', encodeAssertion(credential))
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
      publicKey: decodeRequestOptions(publicKey),
      mediation: 'conditional',
      signal: controller.signal,
    })
    // The button has started another ceremony, and the challenge works only once.
    if (controller.signal.aborted) return
    submitResponse('passkey_login', encodeAssertion(credential))
  }
  const passkeyCreation = async () => {
    const { credentialOptions, displayNameFieldNames, displayNameFieldName } = optionsIn('passkey_create_data')
    const names = displayNameFieldNames || [displayNameFieldName]
    const displayName = names.map((name) => inputOf(name)?.value).find(Boolean) || ''
    const { publicKey } = credentialOptions
    const user = { ...publicKey.user, ...(displayName && { name: displayName, displayName }) }
    await createPasskey({ ...publicKey, user }, 'passkey_register')
  }
  const passkeySettingsCreation = async () => {
    await createPasskey(optionsIn('passkey_create_data').publicKey, 'passkey_settings_register')
  }

  const functions = {
    oryWebAuthnLogin: (options, selector) => logErrors(securityKeySignIn(options, selector)),
    oryWebAuthnRegistration: (options, selector) =>
      securityKeyCreation(options, selector).catch((reason) => window.alert(reason)),
    oryPasskeyLogin: () => logErrors(passkeySignIn()),
    oryPasskeyLoginAutocompleteInit: () => logUnexpectedErrors(passkeyAutocomplete()),
    oryPasskeyRegistration: () => logErrors(passkeyCreation()),
    oryPasskeySettingsRegistration: () => logErrors(passkeySettingsCreation()),
  }
  for (const [name, work] of Object.entries(functions)) {
    window[name] = work
    window[`__${name}`] = work
  }
  window[initializedFlag] = true
  window.dispatchEvent(new CustomEvent('oryWebAuthnInitialized'))
})()
