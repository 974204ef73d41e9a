/**
 * Something that is made when it is first looked at, and stands for it from the beginning. Schemas are many, each
 * costs to make, and a page reads answers by a few of them.
 *
 * @param known members that can be had without making it
 */
export function late<Made extends object>(make: () => Made, known: Partial<Made> = {}): Made {
  let made: Made | undefined
  const own = () => (made ??= make())
  // The target is never asked: each question goes to what was made, which answers as itself.
  return new Proxy({} as Made, {
    get(_, key) {
      if (made === undefined && Object.hasOwn(known, key)) return Reflect.get(known, key)
      const found: unknown = Reflect.get(own(), key)
      // A method of the class is called on what was made, whose hidden members the stand-in has not.
      return typeof found === 'function' && !Object.hasOwn(own(), key) ? found.bind(own()) : found
    },
    set: (_, key, value) => Reflect.set(own(), key, value),
    has: (_, key) => Reflect.has(own(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(own()),
    ownKeys: () => Reflect.ownKeys(own()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(own(), key)
      return found && { ...found, configurable: true }
    },
  })
}
