"""Quantities with units: conversion to SI, field types and base class of validated models."""
