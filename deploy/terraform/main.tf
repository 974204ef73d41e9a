# Glacis on Kubernetes with an existing PostgreSQL, from the Helm chart of this repository.
#
#   terraform init
#   terraform apply -var url=https://glacis.example.org -var image_repository=images.example.org/glacis
#
# Set the secrets through environment variables: TF_VAR_database_url, TF_VAR_smtp_url. Terraform stores them in its state, so encrypt
# the state and limit who can read it.

terraform {
  required_version = ">= 1.6"
  required_providers {
    helm = {
      source  = "hashicorp/helm"
      version = "~> 3.0"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = "~> 2.30"
    }
  }
}

provider "kubernetes" {
  config_path = var.kubeconfig
}

provider "helm" {
  kubernetes = {
    config_path = var.kubeconfig
  }
}

resource "kubernetes_namespace_v1" "glacis" {
  metadata {
    name = var.namespace
  }
}

resource "kubernetes_secret_v1" "database" {
  metadata {
    name      = "glacis-database"
    namespace = kubernetes_namespace_v1.glacis.metadata[0].name
  }
  data = {
    DATABASE_URL = var.database_url
  }
}

resource "kubernetes_secret_v1" "settings" {
  metadata {
    name      = "glacis-settings"
    namespace = kubernetes_namespace_v1.glacis.metadata[0].name
  }
  data = {
    GLACIS_SMTP_URL = var.smtp_url
  }
}

resource "helm_release" "glacis" {
  name      = "glacis"
  namespace = kubernetes_namespace_v1.glacis.metadata[0].name
  chart     = "${path.module}/../helm/glacis"

  values = [yamlencode({
    url         = var.url
    image       = { repository = var.image_repository }
    database    = { existingSecret = kubernetes_secret_v1.database.metadata[0].name }
    extraSecret = kubernetes_secret_v1.settings.metadata[0].name
    settings    = var.settings
    ingress     = { className = var.ingress_class }
  })]
}

output "url" {
  value = var.url
}
