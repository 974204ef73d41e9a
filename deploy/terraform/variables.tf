variable "url" {
  description = "The public URL of Glacis."
  type        = string

  validation {
    condition     = can(regex("^https://[^/]+$", var.url))
    error_message = "The URL must start with https:// and have no path."
  }
}

variable "image_repository" {
  description = "Where the image built from deploy/container/Containerfile was pushed."
  type        = string
}

variable "database_url" {
  description = "PostgreSQL 16 or later. The user must own the database and be allowed to create a role."
  type        = string
  sensitive   = true
}

variable "smtp_url" {
  description = "The SMTP server for outgoing email."
  type        = string
  sensitive   = true
}

variable "settings" {
  description = "Any other setting of docs/settings.md."
  type        = map(string)
  default     = { GLACIS_FEEDS = "on" }
}

variable "namespace" {
  description = "The namespace to create."
  type        = string
  default     = "glacis"
}

variable "ingress_class" {
  description = "The class of the ingress controller; the default class of the cluster if empty."
  type        = string
  default     = ""
}

variable "kubeconfig" {
  description = "Path of the kubeconfig file."
  type        = string
  default     = "~/.kube/config"
}
