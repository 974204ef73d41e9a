import { sql } from 'kysely'

/**
 * Whether an `occurrence` is about the software of a `host_product` row (and its `product`) on the
 * same host and port. A version match names its product; a check is about the port, so it counts
 * only where one product alone was recognised there.
 */
export const concerns = sql<boolean>`(
  case when occurrence.method = 'version'
    then occurrence.location = host_product.port || ' ' || product.vendor || ':' || product.product
    else not exists (
      select from host_product as other
      where other.account_id = host_product.account_id and other.host_id = host_product.host_id
        and other.port = host_product.port and other.product_id <> host_product.product_id and other.gone_at is null)
  end)`
