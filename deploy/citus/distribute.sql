-- Distributes an installation over the nodes of a Citus cluster. Run it once on the coordinator, after the first start of
-- Glacis or `glacis upgrade --apply`, and while no process runs.
--
-- All rows of a workspace are on the same node, so every statement of the API runs there. The job queue (schema pgboss),
-- users and sessions (schema identity), and tables that are not listed here stay on the coordinator.

-- Knowledge: shared by all workspaces, on every node.
select create_reference_table('threat');
select create_reference_table('threat_product');
select create_reference_table('threat_change');
select create_reference_table('exploitation');
select create_reference_table('distribution_fix');
select create_reference_table('release_cycle');
select create_reference_table('software');

-- Workspaces; referenced tables first.
select create_distributed_table('workspace', 'id');
select create_distributed_table('agent', 'account_id', colocate_with => 'workspace');
select create_distributed_table('agent_inventory', 'account_id', colocate_with => 'workspace');
select create_distributed_table('agent_package', 'account_id', colocate_with => 'workspace');
select create_distributed_table('agent_socket', 'account_id', colocate_with => 'workspace');
select create_distributed_table('agent_container', 'account_id', colocate_with => 'workspace');
select create_distributed_table('agent_connection', 'account_id', colocate_with => 'workspace');
select create_distributed_table('agent_key', 'account_id', colocate_with => 'workspace');
select create_distributed_table('api_token', 'account_id', colocate_with => 'workspace');
select create_distributed_table('audit_event', 'account_id', colocate_with => 'workspace');
select create_distributed_table('channel', 'account_id', colocate_with => 'workspace');
select create_distributed_table('delivery', 'account_id', colocate_with => 'workspace');
select create_distributed_table('email_domain', 'account_id', colocate_with => 'workspace');
select create_distributed_table('event', 'account_id', colocate_with => 'workspace');
select create_distributed_table('idempotency_key', 'account_id', colocate_with => 'workspace');
select create_distributed_table('invitation', 'account_id', colocate_with => 'workspace');
select create_distributed_table('issue', 'account_id', colocate_with => 'workspace');
select create_distributed_table('issue_comment', 'account_id', colocate_with => 'workspace');
select create_distributed_table('issue_decision', 'account_id', colocate_with => 'workspace');
select create_distributed_table('issue_target', 'account_id', colocate_with => 'workspace');
select create_distributed_table('member', 'account_id', colocate_with => 'workspace');
select create_distributed_table('product', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provisioned_group', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provisioned_user', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provisioning', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provisioning_token', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provider_subject', 'account_id', colocate_with => 'workspace');
select create_distributed_table('saved_view', 'account_id', colocate_with => 'workspace');
select create_distributed_table('sign_in_provider', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provider_session', 'account_id', colocate_with => 'workspace');
select create_distributed_table('stats_day', 'account_id', colocate_with => 'workspace');
select create_distributed_table('tag', 'account_id', colocate_with => 'workspace');
select create_distributed_table('target', 'account_id', colocate_with => 'workspace');
select create_distributed_table('target_count', 'account_id', colocate_with => 'workspace');
select create_distributed_table('target_tag', 'account_id', colocate_with => 'workspace');
select create_distributed_table('emergence', 'account_id', colocate_with => 'workspace');
select create_distributed_table('host', 'account_id', colocate_with => 'workspace');
select create_distributed_table('host_count', 'account_id', colocate_with => 'workspace');
select create_distributed_table('host_product', 'account_id', colocate_with => 'workspace');
select create_distributed_table('issue_event', 'account_id', colocate_with => 'workspace');
select create_distributed_table('issue_tag', 'account_id', colocate_with => 'workspace');
select create_distributed_table('occurrence', 'account_id', colocate_with => 'workspace');
select create_distributed_table('provisioned_group_user', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan_batch', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan_event', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan_host', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan_issue', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan_lease', 'account_id', colocate_with => 'workspace');
select create_distributed_table('scan_lease_part', 'account_id', colocate_with => 'workspace');
select create_distributed_table('service', 'account_id', colocate_with => 'workspace');
